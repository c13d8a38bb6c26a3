// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "facts/Facts.h"

#include "facts/GraphFunctions.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

namespace graphprof::instrument {

std::string valueRefusal(const DeviceValue &Value) {
  return Value.Obstacle + "; the region inside the kernel is not timed";
}

bool GraphCall::changesGraphs() const { return instrument::changesGraphs(Name); }

bool GraphCall::isInBody() const { return Instead.starts_with("GRAPHPROF_NAMED"); }

bool Facts::changesGraphs() const {
  return std::any_of(Calls.begin(), Calls.end(), std::mem_fn(&GraphCall::changesGraphs)) ||
         std::any_of(Findings.begin(), Findings.end(),
                     [](const Finding &Each) { return Each.ChangesGraphs; });
}

void Facts::dropAnnotations() {
  for (Annotation &Each : Annotations)
    if (Each.Kind != AnnotationKind::Ignore)
      Each.Kind = AnnotationKind::Dropped;
  std::erase_if(Launches, [](const Launch &Each) { return Each.OfKernel.has_value(); });
}

void Facts::putCallsInOrder() {
  const auto Key = [](const GraphCall &Each) {
    return std::tie(Each.Text.End, Each.Token, Each.Instead, Each.Name);
  };
  std::sort(Calls.begin(), Calls.end(),
            [&](const GraphCall &A, const GraphCall &B) { return Key(A) < Key(B); });
  Calls.erase(std::unique(Calls.begin(), Calls.end(),
                          [&](const GraphCall &A, const GraphCall &B) { return Key(A) == Key(B); }),
              Calls.end());
}

void Facts::putInOrder() {
  std::vector<size_t> Order(Annotations.size());
  std::iota(Order.begin(), Order.end(), size_t(0));
  std::sort(Order.begin(), Order.end(), [this](size_t A, size_t B) {
    return std::tie(Annotations[A].At, A) < std::tie(Annotations[B].At, B);
  });
  std::vector<Annotation> Sorted;
  std::vector<Construct> Behind;
  for (const size_t I : Order) {
    if (Sorted.empty() || Sorted.back().At != Annotations[I].At) {
      Sorted.push_back(std::move(Annotations[I]));
      Behind.push_back(std::move(Constructs[I]));
      continue;
    }
    Construct &First = Behind.back();
    const Construct &Again = Constructs[I];
    First.Split |= Again.Split || First.Kind != Again.Kind ||
                   First.Text.Begin != Again.Text.Begin || First.Text.End != Again.Text.End ||
                   First.LacksSemicolon != Again.LacksSemicolon;
    First.InConstexpr |= Again.InConstexpr;
    First.InKernel |= Again.InKernel;
    First.InDeviceCode |= Again.InDeviceCode;
    First.InCoroutine |= Again.InCoroutine;
    First.HasValue |= Again.HasValue;
    if (First.DefaultName != Again.DefaultName)
      First.DefaultName.clear(); // the uses give different names
    // Two uses pass different arguments for one parameter, but the body has the same text for both.
    // That text is compared.
    for (StreamUse Use : Again.Streams) {
      const auto Same =
          std::find_if(First.Streams.begin(), First.Streams.end(),
                       [&](const StreamUse &Other) { return Other.Text == Use.Text; });
      if (Same != First.Streams.end())
        Use.Identity = Same->Identity;
      First.Streams.push_back(std::move(Use));
    }
  }
  Annotations = std::move(Sorted);
  Constructs = std::move(Behind);
  std::sort(Findings.begin(), Findings.end(), [](const Finding &A, const Finding &B) {
    return std::tie(A.At, A.Message) < std::tie(B.At, B.Message);
  });
  Findings.erase(std::unique(Findings.begin(), Findings.end(),
                             [](const Finding &A, const Finding &B) {
                               return A.At == B.At && A.Message == B.Message;
                             }),
                 Findings.end());
}

namespace {

/// Adds `Others` to `All` and sorts it by `Before`. Of those with the same `Key` the first stays,
/// and `Join(First, Again)` gives it what the others know.
template <class Item, class Order, class GetKey, class JoinTwo>
void addMerged(std::vector<Item> &All, std::vector<Item> Others, Order Before, GetKey Key,
               JoinTwo Join) {
  All.insert(All.end(), std::make_move_iterator(Others.begin()),
             std::make_move_iterator(Others.end()));
  std::sort(All.begin(), All.end(), Before);
  std::vector<Item> Merged;
  for (Item &Each : All)
    if (Merged.empty() || Key(Merged.back()) != Key(Each))
      Merged.push_back(std::move(Each));
    else
      Join(Merged.back(), Each);
  All = std::move(Merged);
}

/// The first obstacle that a unit found.
template <class Item> void joinObstacles(Item &First, const Item &Again) {
  if (First.Obstacle.empty())
    First.Obstacle = Again.Obstacle;
}

/// Units may see other calls of a kernel or device function, and make other kernels of a template.
void joinKernels(DeviceFunction &First, const DeviceFunction &Again) {
  joinObstacles(First, Again);
  for (const DeviceCall &Each : Again.Calls)
    if (std::ranges::find(First.Calls, Each.At, &DeviceCall::At) == First.Calls.end())
      First.Calls.push_back(Each);
  for (const std::string &Each : Again.Instances)
    if (std::ranges::find(First.Instances, Each) == First.Instances.end())
      First.Instances.push_back(Each);
}

/// A macro may give a value that two units see in a header another meaning.
void joinValues(Annotation &First, const Annotation &Again, std::vector<Finding> &Findings) {
  for (size_t I = 0; I < First.Arguments.size() && I < Again.Arguments.size(); ++I) {
    DeviceValue &Known = First.Arguments[I].OnDevice;
    const DeviceValue &Other = Again.Arguments[I].OnDevice;
    if (Known.Obstacle.empty())
      Known.Obstacle = Other.Obstacle;
    if (!Known.Obstacle.empty() || Known.Code == Other.Code)
      continue;
    Known.Obstacle =
        "'" + First.Arguments[I].Text + "' differs between the sources that include it";
    Findings.push_back({Severity::Warning, First.At, valueRefusal(Known)});
  }
}

/// Sorts each annotation together with its construct. If both units found an annotation, the
/// facts of `Into` stay.
void mergeAnnotations(Facts &Into, Facts &Other) {
  std::vector<Annotation> &Annotations = Into.Annotations;
  for (size_t I = 0; I < Other.Annotations.size(); ++I) {
    const auto Place =
        std::lower_bound(Annotations.begin(), Annotations.end(), Other.Annotations[I],
                         [](const Annotation &A, const Annotation &B) { return A.At < B.At; });
    if (Place != Annotations.end() && Place->At == Other.Annotations[I].At) {
      joinValues(*Place, Other.Annotations[I], Into.OfMerge);
      continue;
    }
    Into.Constructs.insert(Into.Constructs.begin() + (Place - Annotations.begin()),
                           std::move(Other.Constructs[I]));
    Annotations.insert(Place, std::move(Other.Annotations[I]));
  }
}

} // namespace

void Facts::merge(Facts Other) {
  mergeAnnotations(*this, Other);
  Calls.insert(Calls.end(), Other.Calls.begin(), Other.Calls.end());
  putCallsInOrder();
  NodesAdded.insert(NodesAdded.end(), Other.NodesAdded.begin(), Other.NodesAdded.end());
  // One unit may see the kernel's annotation and another may not.
  addMerged(
      Launches, std::move(Other.Launches),
      [](const Launch &A, const Launch &B) {
        return std::make_pair(A.Text.Begin, !A.OfKernel) <
               std::make_pair(B.Text.Begin, !B.OfKernel);
      },
      [](const Launch &Each) { return Each.Text.Begin; }, joinObstacles<Launch>);
  addMerged(
      Functions, std::move(Other.Functions),
      [](const HostFunction &A, const HostFunction &B) { return A.At < B.At; },
      [](const HostFunction &Each) { return Each.At; },
      [](const HostFunction &, const HostFunction &) {});
  addMerged(
      Kernels, std::move(Other.Kernels),
      [](const DeviceFunction &A, const DeviceFunction &B) { return A.Text.Begin < B.Text.Begin; },
      [](const DeviceFunction &Each) { return Each.Text.Begin; }, joinKernels);
  if (Guards.empty())
    Guards = std::move(Other.Guards);
  Jumps.insert(Jumps.end(), Other.Jumps.begin(), Other.Jumps.end());
  Findings.insert(Findings.end(), Other.Findings.begin(), Other.Findings.end());
  LastId = std::max(LastId, Other.LastId);
  InC |= Other.InC;
}

} // namespace graphprof::instrument
