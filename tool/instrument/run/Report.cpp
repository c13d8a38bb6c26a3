// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "run/Report.h"

#include "facts/GraphFunctions.h"

#include "llvm/Support/JSON.h"

namespace graphprof::instrument {
namespace {

using llvm::json::OStream;

constexpr int Version = 1;

llvm::StringRef name(FileStatus Status) {
  switch (Status) {
  case FileStatus::Instrumented:
    return "instrumented";
  case FileStatus::Copied:
    return "copied";
  case FileStatus::Failed:
    return "failed";
  }
  return {};
}

llvm::StringRef name(SiteKind Kind) {
  switch (Kind) {
  case SiteKind::Annotation:
    return "annotation";
  case SiteKind::Launch:
    return "launch";
  case SiteKind::Function:
    return "function";
  case SiteKind::InKernel:
    return "in_kernel";
  }
  return {};
}

llvm::StringRef name(HeaderUse::How Came) {
  switch (Came) {
  case HeaderUse::How::Parsed:
    return "parsed";
  case HeaderUse::How::Kept:
    return "kept";
  case HeaderUse::How::Made:
    return "made";
  }
  return {};
}

/// Paths and source text may contain any bytes, JSON only Unicode.
std::string text(llvm::StringRef Bytes) { return llvm::json::fixUTF8(Bytes); }

void write(OStream &Out, Places::Place At) {
  Out.attribute("line", At.Line);
  Out.attribute("column", At.Column);
}

void write(OStream &Out, const Diagnosis &Each) {
  Out.object([&] {
    Out.attribute("severity", Each.Level == Severity::Error ? "error" : "warning");
    if (Each.Line > 0) {
      Out.attribute("file", text(Each.File));
      write(Out, Places::Place{Each.Line, Each.Column});
    }
    Out.attribute("reason", text(Each.Message));
  });
}

void write(OStream &Out, const FileResult &File) {
  const Places PlaceOf(File.Before);
  Out.object([&] {
    Out.attribute("source", text(File.Source));
    if (File.Status != FileStatus::Failed)
      Out.attribute("output", text(File.Output));
    Out.attribute("header", File.IsHeader);
    Out.attribute("changed", File.changed());
    Out.attribute("changes_graphs", File.ChangesGraphs);
    Out.attribute("annotation_errors", File.AnnotationErrors);
    Out.attribute("parse_errors", File.ParseErrors);
    Out.attribute("status", name(File.Status));
    if (!File.IsHeader) {
      Out.attribute("toolkit_headers", name(File.Headed.Came));
      if (!File.Headed.Why.empty())
        Out.attribute("toolkit_headers_why", text(File.Headed.Why));
    }
    Out.attributeArray("regions", [&] {
      for (const Site &Each : File.Made.Sites)
        Out.object([&] {
          Out.attribute("file", text(File.Name));
          write(Out, PlaceOf(Each.At));
          Out.attribute("function", text(Each.Function));
          Out.attribute("name", text(Each.Name));
          Out.attribute("kind", name(Each.Kind));
        });
    });
    Out.attribute("steps", File.Made.Did.Steps);
    Out.attribute("graph_names", File.Made.Did.Graphs);
    Out.attributeArray("calls", [&] {
      for (const GraphCall &Each : File.Made.Calls)
        Out.object([&] {
          write(Out, PlaceOf(Each.Text.Begin));
          Out.attribute("name", text(Each.Name));
          Out.attribute("kind", listedMemoryFunction(Each.Name).empty() ? "graph" : "memory");
        });
    });
    Out.attributeArray("not_instrumented", [&] {
      for (const Diagnosis &Each : File.Diagnoses)
        write(Out, Each);
    });
  });
}

} // namespace

std::string report(const RunResult &Done) {
  std::string Result;
  llvm::raw_string_ostream Text(Result);
  OStream Out(Text, /*IndentSize=*/2);
  Out.object([&] {
    Out.attribute("version", Version);
    Out.attribute("exit_status", Done.ExitStatus);
    Out.attributeArray("files", [&] {
      for (const FileResult &Each : Done.Files)
        write(Out, Each);
    });
    Out.attributeArray("include_flags", [&] {
      for (const std::string &Each : Done.IncludeFlags)
        Out.value(text(Each));
    });
    Out.attributeArray("forced_includes", [&] {
      for (const ForcedCopy &Each : Done.ForcedIncludes)
        Out.object([&] {
          Out.attribute("given", text(Each.Given));
          Out.attribute("output", text(Each.Output));
        });
    });
  });
  Text << "\n";
  return Result;
}

} // namespace graphprof::instrument
