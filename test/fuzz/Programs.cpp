// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Programs.h"

namespace graphprof::fuzz {

// at(k, regions) prints that control is at k, and checks which regions are open. A Local prints it
// again in its destructor. again() is true a limited number of times.
const char *const Harness = R"(
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>
#include <graphprof/scope.h>

using Function = int (*)(struct CUstream_st *, int);
extern const Function functions[];
extern const int functionCount;

static std::vector<const char *> open;
static long budget;
static bool checks;

namespace graphprof {
bool detail::activeFlag = true;
void Scope::begin(const Site &site, StreamRef, const ValueRef *, std::size_t) noexcept {
  open.push_back(site.name_format);
  region_ = reinterpret_cast<void *>(open.size());
}
void Scope::end() noexcept {
  if (region_ != reinterpret_cast<void *>(open.size()))
    std::printf("a region ends out of order\n");
  open.pop_back();
}
}

void at(int k, const char *regions) {
  std::printf(" %d", k);
  if (!checks)
    return;
  std::string now;
  for (const char *each : open)
    (now += "/") += each;
  if (now != regions)
    std::printf(" [in %s, not in %s]", now.c_str(), regions);
}
bool again() { return --budget > 0; }

int main(int count, char **) {
  checks = count > 1;
  for (int i = 0; i < functionCount; ++i)
    for (int n = 0; n < 5; ++n) {
      budget = 12;
      std::printf("f%d(%d):", i, n);
      try {
        std::printf(" = %d", functions[i](nullptr, n));
      } catch (int thrown) {
        std::printf(" throws %d", thrown);
      }
      if (!open.empty())
        std::printf(" leaves regions open");
      open.clear();
      std::printf("\n");
    }
}
)";

namespace {

constexpr const char *Prologue = R"(#include <cuda_runtime_api.h>
void at(int k, const char *regions);
bool again();
struct Local {
  int k; const char *regions;
  Local(int k, const char *regions) : k(k), regions(regions) { at(k, regions); }
  Local(const Local &) = delete;
  ~Local() { at(-k, regions); }
  int value() const { return k; }
  explicit operator bool() const { return k % 2; }
};
struct Two { int a, b; };
static const int numbers[] = {1, 2};
#define DO(...) do { __VA_ARGS__ } while (0)
#define RUN(...) __VA_ARGS__
#define PLACE(k, regions) at(k, regions);
#define TIMES(i, count) for (int i = 0; i < (count); ++i)
)";

class FunctionMaker {
public:
  FunctionMaker(Random &Pick, std::string_view Name) : Pick(Pick), Name(Name) {}
  std::string make();

private:
  struct Around {
    std::string Regions; ///< that are open here
    unsigned Depth = 0;
    bool InLoop = false;
    bool InSwitch = false;
    bool InLambda = false;
  };

  std::string statement(const Around &Here, bool MayDeclare = true);
  std::string bare(const Around &Here);
  std::string jump(const Around &Here);
  std::string statements(const Around &Here, unsigned Most);
  std::string block(const Around &Here) { return "{\n" + statements(Here, 3) + "}"; }
  /// The body of a loop or branch.
  std::string body(const Around &Here) {
    return Pick.percent(60) ? annotated(Here, block(inside(Here))) : statement(Here, false);
  }
  std::string lambda(const Around &Here);
  std::string place(const Around &Here) {
    return std::to_string(++Places) + ", \"" + Here.Regions + "\"";
  }
  std::string fresh(const char *Prefix) { return Prefix + std::to_string(++Names); }

  /// inside() may open a region. annotated() then puts the annotation before what was made in it.
  /// Calls nest like the regions.
  Around inside(Around Here) {
    std::string Region = Pick.percent(45) ? fresh("r") : "";
    if (!Region.empty())
      Here.Regions += "/" + Region;
    Pending.push_back(std::move(Region));
    return Here;
  }
  std::string annotated(const Around &, std::string Text) {
    const std::string Region = std::move(Pending.back());
    Pending.pop_back();
    if (Region.empty())
      return Text;
    const char *More = Pick.of({"", "", ", stream = s", ", layer = 1"});
    return "[[graphprof::time(\"" + Region + "\"" + More + ")]] " + Text;
  }

  Random &Pick;
  std::string Name;
  std::vector<std::string> Pending;
  unsigned Places = 0;
  unsigned Names = 0;
  bool HasEnd = false;
};

std::string FunctionMaker::statements(const Around &Here, unsigned Most) {
  std::string Result;
  for (size_t I = 1 + Pick.below(Most); I > 0; --I)
    Result += statement(Here) + "\n";
  return Result;
}

std::string FunctionMaker::statement(const Around &Here, bool MayDeclare) {
  if (MayDeclare && Pick.percent(12))
    return "Local " + fresh("local") + "(" + place(Here) + ");";
  const Around In = inside(Here);
  std::string Text = bare(In);
  return annotated(Here, std::move(Text));
}

/// Makes a jump: never out of a lambda, and never as the whole of a region.
std::string FunctionMaker::jump(const Around &Here) {
  if (Here.InLoop && Pick.percent(50))
    return Pick.of({"break;", "continue;"});
  if (Here.InLambda)
    return "return n;";
  if (Pick.percent(30)) {
    HasEnd = true;
    return "goto end;";
  }
  return Pick.percent(40) ? "throw n + 7;" : "return Local(" + place(Here) + ").value();";
}

std::string FunctionMaker::lambda(const Around &Here) {
  Around In = inside(Here);
  In.InLoop = In.InSwitch = false;
  In.InLambda = true;
  const std::string Body = "{\n" + statements(In, 2) + "return n + 1; }";
  const std::string Note = annotated(Here, "");
  switch (Pick.below(3)) {
  case 0:
    return "[&] " + Note + "() -> int " + Body + "()";
  case 1:
    return "[&](int n) " + Note + Body + "(n)";
  default:
    return "[&, n](auto) mutable -> int " + (Note.empty() ? Body : "{ " + Note + Body + " }") +
           "(0)";
  }
}

std::string FunctionMaker::bare(const Around &Here) {
  if (Here.Depth > 3 || Pick.percent(30))
    switch (Pick.below(6)) {
    case 0:
      return "(void)Local(" + place(Here) + ").value();";
    case 1:
      return "PLACE(" + place(Here) + ")";
    case 2:
      return "DO(at(" + place(Here) + "););";
    case 3:
      return "n += Local(" + place(Here) + ").value() % 3;";
    default:
      return "at(" + place(Here) + ");";
    }
  Around In = Here;
  ++In.Depth;
  Around Loop = In;
  Loop.InLoop = true;
  Around Switch = In;
  Switch.InSwitch = true;
  Switch.InLoop = false;
  const std::string Number = std::to_string(Pick.below(5));
  switch (Pick.below(18)) {
  case 0:
    return "if (n % 5 == " + Number + ") " + body(In);
  case 1: {
    const std::string Then =
        annotated(In, block(inside(In))); // otherwise an else could belong to an inner if
    return "if (n > " + Number + ") " + Then + " else " + body(In);
  }
  case 2: {
    const std::string Init = "if (Local " + fresh("local") + "(" + place(In) + "); again()) ";
    return Init + block(In) + " else " + body(In);
  }
  case 3: {
    const std::string I = fresh("i");
    return "for (int " + I + " = 0; " + I + " < n % 4; ++" + I + ") " + body(Loop);
  }
  case 4:
    return "for (int " + fresh("v") + " : numbers) " + body(Loop);
  case 5:
    return "while (again()) " + body(Loop);
  case 6:
    return "do " + body(Loop) + " while (again());";
  case 7: {
    std::string Text = "switch (n % 4) {\ncase 0: " + statement(Switch, false) + "\ncase 1:\n";
    Text += statement(Switch, false) + (Pick.percent(50) ? "\nbreak;\n" : "\n[[fallthrough]];\n");
    return Text + "default: " + statement(Switch, false) + "\n}";
  }
  case 8: {
    const std::string Try = statements(In, 2) + (Pick.percent(50) ? "if (n > 1) throw n;\n" : "");
    return "try {\n" + Try + "} catch (int) {\n" + statements(In, 2) + "}";
  }
  case 9:
  case 10:
    return "if (n % 5 == " + Number + ") { " + jump(In) + " }";
  case 11:
    return "n += (" + lambda(In) + ") % 3;";
  case 12: {
    Around Plain = In; // allows no jumps out of the expression
    Plain.InLoop = Plain.InSwitch = false;
    Plain.InLambda = true;
    Plain.Depth = 4;
    return "n += ({ " + statement(Plain, false) + " Local(" + place(Plain) + ").value(); }) % 3;";
  }
  case 13:
    return "DO(" + statement(In, false) + ");";
  case 14: {
    const std::string I = fresh("i");
    return "TIMES(" + I + ", 2) " + body(Loop);
  }
  case 15: {
    const std::string Label = fresh("again");
    return "{ " + Label + ": at(" + place(In) + ");\n" + statement(In, false) +
           "\nif (again()) goto " + Label + "; }";
  }
  case 16:
    return "{ auto [" + fresh("a") + ", " + fresh("b") + "] = Two{n, 1};\n" + statements(In, 2) +
           "}";
  default:
    return block(In);
  }
}

std::string FunctionMaker::make() {
  const Around Outside;
  const Around In = inside(Outside);
  // A function's own region ends with its try block.
  const bool Try = Pick.percent(15);
  std::string Body = "{\n" + statements(In, 5);
  const std::string End = HasEnd ? "end:\nat(" + place(In) + ");\n" : "";
  // A jump to the end must not pass a declaration.
  if (HasEnd)
    Body = "{ {\n" + Body.substr(2) + "}\n" + End;
  Body += "return n; }";
  const std::string Head = annotated(Outside, "int " + Name + "(cudaStream_t s, int n) ");
  if (!Try)
    return Head + Body;
  Around Handler;
  Handler.Depth = 3;
  Handler.InLambda = true; // allows no jumps back into the block
  return Head + "try " + Body + " catch (int) {\nat(" + place(Handler) + ");\n" +
         statement(Handler, false) + "\nreturn -1; }";
}

} // namespace

std::string makeFunction(Random &Pick, std::string_view Name) {
  return FunctionMaker(Pick, Name).make();
}

std::string makeProgram(const std::vector<std::string> &Functions) {
  std::string Result = Prologue;
  std::string Table;
  for (size_t I = 0; I < Functions.size(); ++I) {
    Result += Functions[I] + "\n";
    Table += "f" + std::to_string(I) + ", ";
  }
  return Result + "extern int (*const functions[])(cudaStream_t, int) = {" + Table +
         "};\nextern const int functionCount = " + std::to_string(Functions.size()) + ";\n";
}

} // namespace graphprof::fuzz
