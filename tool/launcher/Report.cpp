// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

namespace graphprof::launcher {
namespace {

constexpr int Version = 1;

} // namespace

static bool fromJSON(const llvm::json::Value &Value, ReportedFile &File, llvm::json::Path Where) {
  std::string Status;
  llvm::json::ObjectMapper Map(Value, Where);
  if (!Map || !Map.map("source", File.Source) || !Map.mapOptional("output", File.Output) ||
      !Map.mapOptional("changes_graphs", File.ChangesGraphs) ||
      !Map.mapOptional("annotation_errors", File.AnnotationErrors) ||
      !Map.mapOptional("parse_errors", File.ParseErrors) || !Map.mapOptional("steps", File.Steps) ||
      !Map.mapOptional("toolkit_headers", File.ToolkitHeaders) ||
      !Map.mapOptional("toolkit_headers_why", File.WhyParsed) ||
      !Map.mapOptional("header", File.Header) || !Map.mapOptional("changed", File.Changed) ||
      !Map.map("status", Status))
    return false;
  File.Failed = Status == "failed";
  const llvm::json::Array *Regions = Value.getAsObject()->getArray("regions");
  File.Regions = Regions && !Regions->empty();
  File.Twins = Regions && llvm::any_of(*Regions, [](const llvm::json::Value &Each) {
                 const llvm::json::Object *const Region = Each.getAsObject();
                 return Region && Region->getString("kind") == "in_kernel";
               });
  return true;
}

static bool fromJSON(const llvm::json::Value &Value, ForcedInclude &Header,
                     llvm::json::Path Where) {
  llvm::json::ObjectMapper Map(Value, Where);
  return Map && Map.map("given", Header.Given) && Map.map("output", Header.Output);
}

bool Report::hasHeaders() const {
  return llvm::any_of(Files, [](const ReportedFile &Each) { return Each.Header && !Each.Failed; });
}

bool Report::changesGraphs() const {
  return llvm::any_of(Files, [](const ReportedFile &Each) { return Each.ChangesGraphs; });
}

bool Report::hasGuards() const {
  return llvm::any_of(Files,
                      [](const ReportedFile &Each) { return Each.Regions || Each.Steps > 0; });
}

bool Report::hasTwins() const {
  return llvm::any_of(Files, [](const ReportedFile &Each) { return Each.Twins; });
}

bool Report::parseErrors() const {
  return llvm::any_of(Files, [](const ReportedFile &Each) { return Each.ParseErrors > 0; });
}

bool Report::annotationErrors() const {
  return llvm::any_of(Files, [](const ReportedFile &Each) { return Each.AnnotationErrors; });
}

llvm::Expected<Report> readReport(llvm::StringRef Path) {
  const auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer)
    return llvm::createStringError(Buffer.getError(), "cannot read '%s': %s", Path.str().c_str(),
                                   Buffer.getError().message().c_str());
  auto Value = llvm::json::parse((*Buffer)->getBuffer());
  if (!Value)
    return Value.takeError();
  Report Read;
  int Found = 0;
  llvm::json::Path::Root Root(Path);
  llvm::json::ObjectMapper Map(*Value, Root);
  if (!Map || !Map.map("version", Found) || !Map.map("files", Read.Files) ||
      !Map.mapOptional("include_flags", Read.IncludeFlags) ||
      !Map.mapOptional("forced_includes", Read.ForcedIncludes))
    return Root.getError();
  if (Found != Version)
    return llvm::createStringError("graphprof-instrument's report has version %d, not %d; install "
                                   "both programs from one release",
                                   Found, Version);
  return Read;
}

} // namespace graphprof::launcher
