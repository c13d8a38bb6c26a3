// A library's header.
#pragma once
