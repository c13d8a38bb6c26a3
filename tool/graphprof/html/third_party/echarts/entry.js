// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What of Apache ECharts is on a page of `graphprof html`. renew makes echarts.min.js of it.

import {init, use} from 'echarts/core';
import {BarChart, CustomChart, GraphChart, LineChart} from 'echarts/charts';
import {AriaComponent, DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, TooltipComponent} from 'echarts/components';
import {CanvasRenderer} from 'echarts/renderers';

use([
  BarChart, CustomChart, GraphChart, LineChart,
  AriaComponent, DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, TooltipComponent,
  CanvasRenderer,
]);

export {init};
