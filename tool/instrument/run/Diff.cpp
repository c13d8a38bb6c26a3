// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "run/Diff.h"

#include "clang/Tooling/ReplacementsYaml.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

namespace graphprof::instrument {
namespace {

using Lines = std::vector<llvm::StringRef>;

Lines split(llvm::StringRef Text) {
  Lines Result;
  while (!Text.empty()) {
    const size_t End = Text.find('\n');
    Result.push_back(Text.take_front(End == llvm::StringRef::npos ? End : End + 1));
    Text = Text.drop_front(Result.back().size());
  }
  return Result;
}

/// Quotes names that patch programs would misread, as git does.
std::string quotedPath(llvm::StringRef Side, llvm::StringRef Path) {
  llvm::SmallString<256> Here;
  llvm::StringRef Below = Path;
  if (llvm::sys::fs::current_path(Here) || !Below.consume_front(Here) || !Below.starts_with("/"))
    Below = Path;
  const std::string Whole = (Side + Below).str();
  if (llvm::none_of(Whole, [](unsigned char C) { return C < ' ' || C == '"' || C == '\\'; }))
    return llvm::StringRef(Whole).contains(' ') ? Whole + "\t" : Whole;
  std::string Result = "\"";
  for (const unsigned char C : Whole) {
    if (C < ' ') {
      Result += {'\\', static_cast<char>('0' + C / 64), static_cast<char>('0' + C / 8 % 8),
                 static_cast<char>('0' + C % 8)};
      continue;
    }
    if (C == '"' || C == '\\')
      Result += '\\';
    Result += static_cast<char>(C);
  }
  return Result + "\"";
}

/// Makes a diff without searching for common lines: edits keep every line in its place, except
/// whole lines that they insert in front.
class UnifiedDiff {
public:
  UnifiedDiff(llvm::raw_ostream &Out, const FileResult &File)
      : Out(Out), Old(split(File.Before)), New(split(File.After)),
        Added(static_cast<int>(New.size() - Old.size())) {
    for (const Edit &Each : File.Made.Edits)
      if (llvm::StringRef(Each.Text).count('\n') >
          llvm::StringRef(File.Before).slice(Each.Range.Begin, Each.Range.End).count('\n'))
        Front = llvm::StringRef(File.Before).take_front(Each.Range.Begin).count('\n');
  }

  void write() {
    constexpr size_t Context = 3;
    for (size_t I = 0; I < Old.size() || isAddition(I);) {
      if (!differs(I)) {
        ++I;
        continue;
      }
      const size_t Begin = I > Context ? I - Context : 0;
      size_t Changed = I; // the end of the changes that are at most two contexts apart
      for (size_t Next = I; Next <= Changed + 2 * Context && Next < Old.size(); ++Next)
        if (differs(Next))
          Changed = Next + (Old[Next] != newOf(Next));
      const size_t End = std::min(Old.size(), Changed + Context);
      writeHunk(Begin, End);
      I = std::max(End, I + 1);
    }
  }

private:
  [[nodiscard]] bool isAddition(size_t I) const { return Added > 0 && I == Front; }
  [[nodiscard]] llvm::StringRef newOf(size_t I) const { return New[I < Front ? I : I + Added]; }
  [[nodiscard]] bool differs(size_t I) const {
    return isAddition(I) || (I < Old.size() && Old[I] != newOf(I));
  }

  void writeHunk(size_t Begin, size_t End) {
    const bool Adds = Added > 0 && Begin <= Front && Front <= End;
    const size_t NewBegin = Begin <= Front ? Begin : Begin + Added;
    const size_t NewSize = End - Begin + (Adds ? Added : 0);
    Out.changeColor(llvm::raw_ostream::CYAN)
        << "@@ -" << range(Begin, End - Begin) << " +" << range(NewBegin, NewSize) << " @@";
    Out.resetColor() << "\n";
    // Writes all removed lines, then all added ones, as long as lines differ.
    std::vector<llvm::StringRef> Gone;
    std::vector<llvm::StringRef> Coming;
    const auto Flush = [&] {
      for (const llvm::StringRef Each : std::exchange(Gone, {}))
        line('-', Each);
      for (const llvm::StringRef Each : std::exchange(Coming, {}))
        line('+', Each);
    };
    for (size_t I = Begin; I <= End; ++I) {
      if (isAddition(I))
        llvm::append_range(Coming, llvm::ArrayRef(New).slice(Front, Added));
      if (I == End)
        break;
      if (Old[I] == newOf(I)) {
        Flush();
        line(' ', Old[I]);
      } else {
        Gone.push_back(Old[I]);
        Coming.push_back(newOf(I));
      }
    }
    Flush();
  }

  static std::string range(size_t Begin, size_t Size) {
    return std::to_string(Size == 0 ? Begin : Begin + 1) + "," + std::to_string(Size);
  }

  void line(char Sign, llvm::StringRef Text) {
    if (Sign != ' ')
      Out.changeColor(Sign == '-' ? llvm::raw_ostream::RED : llvm::raw_ostream::GREEN);
    const bool Ends = Text.consume_back("\n");
    Out << Sign << Text;
    if (Sign != ' ')
      Out.resetColor();
    Out << (Ends ? "\n" : "\n\\ No newline at end of file\n");
  }

  llvm::raw_ostream &Out;
  Lines Old;
  Lines New;
  int Added;
  size_t Front = 0; ///< the line of the old text before which lines are inserted
};

/// Joins adjacent edits, so that their order does not depend on other programs.
std::vector<Edit> joined(std::vector<Edit> Edits, llvm::StringRef Text) {
  llvm::sort(Edits, [](const Edit &A, const Edit &B) {
    return std::tie(A.Range.Begin, A.Range.End, A.Text) <
           std::tie(B.Range.Begin, B.Range.End, B.Text);
  });
  std::vector<Edit> Result;
  for (Edit &Each : Edits) {
    if (Text.slice(Each.Range.Begin, Each.Range.End) == Each.Text)
      continue;
    if (!Result.empty() && Result.back().Range.End == Each.Range.Begin) {
      Result.back().Range.End = Each.Range.End;
      Result.back().Text += Each.Text;
    } else {
      Result.push_back(std::move(Each));
    }
  }
  return Result;
}

} // namespace

void writeDiff(llvm::raw_ostream &Out, const FileResult &File) {
  if (File.Before == File.After)
    return;
  Out.changeColor(llvm::raw_ostream::SAVEDCOLOR, /*Bold=*/true)
      << "--- " << quotedPath("a", File.Real) << "\n+++ " << quotedPath("b", File.Real);
  Out.resetColor() << "\n";
  UnifiedDiff(Out, File).write();
}

llvm::Expected<std::string> exportFixes(llvm::ArrayRef<FileResult> Files) {
  clang::tooling::TranslationUnitReplacements Unit;
  for (const FileResult &File : Files) {
    if (!File.changed())
      continue;
    if (Unit.MainSourceFile.empty())
      Unit.MainSourceFile = File.Real;
    for (const Edit &Each : joined(File.Made.Edits, File.Before)) {
      if (!llvm::json::isUTF8(Each.Text) || !llvm::json::isUTF8(File.Real))
        return llvm::createStringError("%s: a change holds bytes that are no UTF-8 and that a file "
                                       "of fixes cannot hold; use --diff or -i",
                                       File.Name.c_str());
      Unit.Replacements.emplace_back(File.Real, Each.Range.Begin, Each.Range.End - Each.Range.Begin,
                                     Each.Text);
    }
  }
  std::string Result;
  llvm::raw_string_ostream Text(Result);
  llvm::yaml::Output Yaml(Text);
  Yaml << Unit;
  return Result;
}

} // namespace graphprof::instrument
