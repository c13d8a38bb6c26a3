// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "source/HeaderCache.h"

#include "graphprof/version.h"
#include "source/Prelude.h"

#include "clang/Basic/Version.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/xxhash.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace clang;

namespace graphprof::instrument {
namespace {

namespace fs = llvm::sys::fs;
namespace json = llvm::json;
namespace path = llvm::sys::path;

/// Of the files in the folder. What an older one wrote is never found: the key holds it.
constexpr int Format = 2;

constexpr std::uint64_t DefaultMegabytes = 500;
/// A last use is noted once in so long.
constexpr std::chrono::hours UseIsNoted{1};
/// After so long, a failure is tried again, and what a run left half-written is removed.
constexpr std::chrono::hours Long{24};

constexpr llvm::StringLiteral HeaderPath = "/graphprof-instrument/headers.pch";

/// Written into the note if no precompiled header can be made with these flags.
constexpr llvm::StringLiteral Unsuitable = "no: ";

std::string sumOf(llvm::StringRef Bytes) {
  return llvm::utohexstr(llvm::xxh3_64bits(Bytes), /*LowerCase=*/true, /*Width=*/16);
}

/// How many of the headers that are forced in are the same for every source: those that the driver
/// and clangCommand() put in front.
size_t headersInFront(const PreprocessorOptions &Options) {
  const auto Prelude = llvm::find(Options.Includes, NvccPreludePath);
  if (Prelude != Options.Includes.end())
    return Prelude - Options.Includes.begin() + 1;
  // The simulated CUDA runtime's is the only one.
  return !Options.Includes.empty() && Options.Includes.front() == "cuda_runtime.h" ? 1 : 0;
}

/// The part of a compilation that is the same for all sources with these flags.
void keepCommonPart(CompilerInvocation &Invocation, size_t InFront) {
  FrontendOptions &Frontend = Invocation.getFrontendOpts(); // it names the device's target, too
  const InputKind Kind = Frontend.Inputs.front().getKind();
  Frontend.Inputs = {FrontendInputFile(NoSource, Kind)};
  Frontend.OutputFile.clear();
  Invocation.getCodeGenOpts() = {};
  Invocation.getLangOpts().CUID.clear(); // made of the source's name
  Invocation.getDependencyOutputOpts() = {};
  Invocation.getDiagnosticOpts().DiagnosticSerializationFile.clear();
  Invocation.getDiagnosticOpts().DiagnosticLogFile.clear();
  Invocation.getPreprocessorOpts().Includes.resize(InFront);
}

std::string absolute(const FileManager &Files, llvm::StringRef Path) {
  llvm::SmallString<256> Whole(Path);
  Files.makeAbsolutePath(Whole);
  return Whole.str().str();
}

std::string keyOf(const CompilerInvocation &Common, const FileManager &Files) {
  CompilerInvocation Whole(Common);
  for (HeaderSearchOptions::Entry &Each : Whole.getHeaderSearchOpts().UserEntries)
    Each.Path = absolute(Files, Each.Path);
  std::string Text =
      std::to_string(Format) + "\n" GRAPHPROF_VERSION_STRING "\n" + getClangFullVersion() + "\n";
  for (const std::string &Each : Whole.getCC1CommandLine())
    Text += Each + "\n";
  Text += Whole.getFrontendOpts().SkipFunctionBodies ? "without bodies\n" : "";
  if (const auto Prelude = Files.getVirtualFileSystem().getBufferForFile(NvccPreludePath))
    Text += (*Prelude)->getBuffer();
  const auto Sum = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(Text));
  return llvm::utohexstr(Sum.high64, true, 16) + llvm::utohexstr(Sum.low64, true, 16);
}

/// Whether a directory of the command's own now has a file with the name of one of the headers,
/// which the compiler would read instead.
std::string hiding(const CompilerInvocation &Invocation, const FileManager &Files,
                   llvm::ArrayRef<HeaderFacts::Include> Includes) {
  std::vector<std::string> Own;
  std::vector<fs::UniqueID> Systems;
  for (const HeaderSearchOptions::Entry &Each : Invocation.getHeaderSearchOpts().UserEntries) {
    fs::UniqueID Id;
    if (Each.Group == frontend::Angled || Each.Group == frontend::Quoted)
      Own.push_back(absolute(Files, Each.Path));
    else if (!fs::getUniqueID(Each.Path, Id))
      Systems.push_back(Id);
  }
  for (const std::string &Directory : Own) {
    fs::UniqueID Id;
    if (fs::getUniqueID(Directory, Id) || llvm::is_contained(Systems, Id))
      continue; // clang searches a directory once, as the system's
    llvm::StringSet<> Names;
    std::error_code Code;
    for (fs::directory_iterator Each(Directory, Code), End; !Code && Each != End;
         Each.increment(Code))
      Names.insert(path::filename(Each->path()));
    for (const HeaderFacts::Include &Each : Includes) {
      if (Each.Name.empty() || !Names.contains(*path::begin(Each.Name)))
        continue;
      const std::string Other = Directory + "/" + Each.Name;
      fs::UniqueID Found, Its;
      if (!fs::getUniqueID(Other, Its) && (fs::getUniqueID(Each.Found, Found) || Found != Its))
        return Other;
    }
  }
  return {};
}

/// A note, locked if nobody else has it.
class Note {
public:
  explicit Note(const std::string &Path) {
    Descriptor = ::open(Path.c_str(), O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
    New = Descriptor >= 0;
    if (!New)
      Descriptor = ::open(Path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  }
  ~Note() {
    if (Descriptor >= 0)
      ::close(Descriptor);
  }
  Note(const Note &) = delete;
  Note &operator=(const Note &) = delete;

  [[nodiscard]] bool opened() const { return Descriptor >= 0; }
  [[nodiscard]] bool isNew() const { return New; }
  [[nodiscard]] bool lock() const { return ::flock(Descriptor, LOCK_EX | LOCK_NB) == 0; }
  void write(const std::string &Text) const {
    if (::ftruncate(Descriptor, 0) != 0 ||
        ::pwrite(Descriptor, Text.data(), Text.size(), 0) != static_cast<ssize_t>(Text.size()))
      return; // only a remark for later runs
  }

private:
  int Descriptor = -1;
  bool New = false;
};

/// Removes what was not used for longest until the rest fits, and what runs left half-written.
void keepWithin(const std::string &Folder, std::uint64_t MostBytes) {
  struct Group {
    std::vector<std::string> Files;
    std::uint64_t Bytes = 0;
    llvm::sys::TimePoint<> Used;
  };
  constexpr size_t KeyLength = 32;
  const auto Now = std::chrono::system_clock::now();
  llvm::StringMap<Group> Groups;
  std::uint64_t All = 0;
  std::error_code Code;
  for (fs::directory_iterator Each(Folder, Code), End; !Code && Each != End; Each.increment(Code)) {
    const llvm::StringRef Name = path::filename(Each->path());
    fs::file_status There;
    if (Name.size() <= KeyLength || !llvm::all_of(Name.take_front(KeyLength), llvm::isHexDigit) ||
        fs::status(Each->path(), There, /*follow=*/false))
      continue; // not the cache's
    if (Name.ends_with(".tmp") && Now - There.getLastModificationTime() > Long) {
      (void)fs::remove(Each->path());
      continue;
    }
    Group &Its = Groups[Name.take_front(KeyLength)];
    Its.Files.push_back(Each->path());
    Its.Bytes += There.getSize();
    Its.Used = std::max(Its.Used, There.getLastModificationTime());
    All += There.getSize();
  }
  std::vector<const Group *> ByUse;
  for (const auto &Each : Groups)
    ByUse.push_back(&Each.second);
  llvm::sort(ByUse, [](const Group *A, const Group *B) { return A->Used < B->Used; });
  for (const Group *Each : ByUse) {
    if (All <= MostBytes)
      break;
    for (const std::string &File : Each->Files)
      (void)fs::remove(File);
    All -= Each->Bytes;
  }
}

/// The precompiled header that a list names.
std::string namedIn(const std::string &ListPath) {
  const auto List = llvm::MemoryBuffer::getFile(ListPath);
  if (!List)
    return {};
  auto Parsed = json::parse((*List)->getBuffer());
  if (!Parsed) {
    llvm::consumeError(Parsed.takeError());
    return {};
  }
  const json::Object *Whole = Parsed->getAsObject();
  return Whole ? Whole->getString("header").value_or("").str() : std::string();
}

/// Writes a file that appears complete.
llvm::Error writeWhole(const std::string &Path, llvm::StringRef Text) {
  return llvm::writeToOutput(Path, [&](llvm::raw_ostream &Out) {
    Out << Text;
    return llvm::Error::success();
  });
}

} // namespace

HeaderCacheSettings HeaderCacheSettings::fromEnvironment(std::string &Problem) {
  HeaderCacheSettings Result;
  std::uint64_t Megabytes = DefaultMegabytes;
  if (const auto Most = llvm::sys::Process::GetEnv("GRAPHPROF_CACHE_MB"))
    if (llvm::StringRef(*Most).getAsInteger(10, Megabytes)) {
      Problem = "GRAPHPROF_CACHE_MB=" + *Most + ": must be a number of megabytes; using " +
                std::to_string(DefaultMegabytes);
      Megabytes = DefaultMegabytes;
    }
  Result.MostBytes = Megabytes << 20U;
  llvm::SmallString<256> Folder;
  if (const auto Given = llvm::sys::Process::GetEnv("GRAPHPROF_CACHE_DIR")) {
    Folder = *Given;
    if (!Folder.empty())
      (void)fs::make_absolute(Folder);
  } else if (path::cache_directory(Folder)) {
    path::append(Folder, "graphprof");
  }
  Result.Folder = Folder.str();
  if (Megabytes == 0)
    Result.Folder.clear();
  return Result;
}

/// What the cache has for one key.
class HeaderCache::Entry {
public:
  Entry(HeaderCache &Cache, const CompilerInvocation &Common, const FileManager &Files)
      : Cache(Cache), Common(Common), Files(Files), Key(keyOf(Common, Files)),
        Base(Cache.Settings.Folder + "/" + Key) {}

  /// These return whether the precompiled header is there to be used, or leave the reason in
  /// `Cache.Used.Why`.
  bool read();
  bool make();

private:
  bool refuse(const llvm::Twine &Why) {
    Cache.Used.Why = Why.str();
    return false;
  }
  llvm::Error add(const Precompiled &Made, llvm::StringRef Text, const std::string &From);

  HeaderCache &Cache;
  const CompilerInvocation &Common;
  const FileManager &Files;
  std::string Key;
  std::string Base; ///< the beginning of its files' paths
};

bool HeaderCache::Entry::read() {
  const std::string ListPath = Base + ".list";
  const auto List = llvm::MemoryBuffer::getFile(ListPath);
  if (!List)
    return refuse("there is none yet");
  auto Parsed = json::parse((*List)->getBuffer());
  if (!Parsed) {
    llvm::consumeError(Parsed.takeError());
    return refuse(ListPath + " is damaged");
  }
  const json::Object *Whole = Parsed->getAsObject();
  const json::Array *Inputs = Whole ? Whole->getArray("inputs") : nullptr;
  const json::Array *Includes = Whole ? Whole->getArray("includes") : nullptr;
  const json::Array *Mention = Whole ? Whole->getArray("mention_changes") : nullptr;
  const auto Name = Whole ? Whole->getString("header") : std::nullopt;
  const auto Sum = Whole ? Whole->getString("sum") : std::nullopt;
  if (!Inputs || !Includes || !Mention || !Name || !Sum || Name->contains('/'))
    return refuse(ListPath + " is damaged");
  for (const json::Value &Each : *Inputs) {
    const json::Object *Its = Each.getAsObject();
    const HeaderInput Was{Its ? Its->getString("path").value_or("").str() : "",
                          Its ? Its->getInteger("bytes").value_or(-1) : -1,
                          Its ? Its->getInteger("modified_ns").value_or(-1) : -1};
    if (!Was.isUnchanged())
      return refuse(Was.Path + " has changed");
  }
  HeaderFacts Read;
  Read.DeclareRuntime = Whole->getBoolean("runtime").value_or(false);
  Read.DeclareDriver = Whole->getBoolean("driver").value_or(false);
  for (const json::Value &Each : *Mention)
    Read.MentionChanges.push_back(Each.getAsString().value_or("").str());
  for (const json::Value &Each : *Includes)
    if (const json::Object *Its = Each.getAsObject())
      Read.Includes.push_back({Its->getString("name").value_or("").str(),
                               Its->getString("found").value_or("").str(),
                               Its->getBoolean("angled").value_or(false)});
  if (const std::string Other = hiding(Common, Files, Read.Includes); !Other.empty())
    return refuse(Other + " hides one of the toolkit's or system's headers");
  // It may be mapped: others rename a new file into its place or remove it, and never write into
  // it.
  auto Header = llvm::MemoryBuffer::getFile(Cache.Settings.Folder + "/" + *Name, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!Header)
    return refuse("its file cannot be read: " + Header.getError().message());
  if (sumOf((*Header)->getBuffer()) != *Sum)
    return refuse(Cache.Settings.Folder + "/" + *Name + " is damaged");
  Cache.Header = std::move(*Header);
  Cache.Facts = std::move(Read);
  const auto Now = std::chrono::system_clock::now();
  fs::file_status There;
  int Descriptor = -1;
  if (!fs::status(ListPath, There) && Now - There.getLastModificationTime() > UseIsNoted &&
      !fs::openFileForWrite(ListPath, Descriptor, fs::CD_OpenExisting)) {
    (void)fs::setLastAccessAndModificationTime(Descriptor, Now);
    ::close(Descriptor);
  }
  return true;
}

llvm::Error HeaderCache::Entry::add(const Precompiled &Made, llvm::StringRef Bytes,
                                    const std::string &From) {
  const std::string Sum = sumOf(Bytes);
  const std::string Name = Key + "-" + Sum + ".pch";
  std::string Text;
  llvm::raw_string_ostream Stream(Text);
  json::OStream Out(Stream);
  Out.object([&] {
    Out.attribute("header", Name);
    Out.attribute("sum", Sum);
    Out.attribute("runtime", Made.Facts.DeclareRuntime);
    Out.attribute("driver", Made.Facts.DeclareDriver);
    Out.attributeArray("mention_changes", [&] {
      for (const std::string &Each : Made.Facts.MentionChanges)
        Out.value(Each);
    });
    Out.attributeArray("inputs", [&] {
      for (const HeaderInput &Each : Made.Inputs)
        Out.object([&] {
          Out.attribute("path", Each.Path);
          Out.attribute("bytes", Each.Bytes);
          Out.attribute("modified_ns", Each.ModifiedNs);
        });
    });
    Out.attributeArray("includes", [&] {
      for (const HeaderFacts::Include &Each : Made.Facts.Includes)
        Out.object([&] {
          Out.attribute("name", Each.Name);
          Out.attribute("found", Each.Found);
          Out.attribute("angled", Each.IsAngled);
        });
    });
  });
  if (!json::isUTF8(Text))
    return llvm::createStringError("a header's path is not UTF-8");
  const std::string Old = namedIn(Base + ".list");
  if (const std::error_code Code = fs::rename(From, Cache.Settings.Folder + "/" + Name))
    return llvm::createStringError(Code, "it cannot be written: %s", Code.message().c_str());
  if (llvm::Error Problem = writeWhole(Base + ".list", Text))
    return Problem;
  // Who reads the old list now finds no file, and parses.
  if (Old != Name && llvm::StringRef(Old).starts_with(Key) && !llvm::StringRef(Old).contains('/'))
    (void)fs::remove(Cache.Settings.Folder + "/" + Old);
  return llvm::Error::success();
}

bool HeaderCache::Entry::make() {
  if (const std::error_code Code = fs::create_directories(Cache.Settings.Folder))
    return refuse("the folder cannot be made: " + Code.message());
  const std::string NotePath = Base + ".note";
  const Note Mine(NotePath);
  if (!Mine.opened())
    return refuse("the folder cannot be written: " +
                  std::error_code(errno, std::generic_category()).message());
  if (Mine.isNew())
    return refuse("no source had these flags before");
  if (!Mine.lock())
    return refuse("another run is making it");
  if (const auto Text = llvm::MemoryBuffer::getFile(NotePath)) {
    llvm::StringRef Before = (*Text)->getBuffer();
    fs::file_status There;
    if (Before.consume_front(Unsuitable) && !fs::status(NotePath, There) &&
        std::chrono::system_clock::now() - There.getLastModificationTime() < Long)
      return refuse(Before);
  }
  if (read()) // another run has just made it
    return true;
  const std::string New = Base + "." + std::to_string(::getpid()) + ".tmp";
  Precompiled Made = precompile(Common, Files, New);
  std::string Why = Made.Why.empty() ? hiding(Common, Files, Made.Facts.Includes) : Made.Why;
  if (Why.empty()) {
    auto Bytes = llvm::MemoryBuffer::getFile(New, /*IsText=*/false,
                                             /*RequiresNullTerminator=*/false);
    if (!Bytes) {
      Why = "it cannot be read: " + Bytes.getError().message();
    } else if ((*Bytes)->getBufferSize() > Cache.Settings.MostBytes) {
      Why = "it is larger than GRAPHPROF_CACHE_MB allows";
    } else if (llvm::Error Problem = add(Made, (*Bytes)->getBuffer(), New)) {
      Why = llvm::toString(std::move(Problem));
    } else {
      Cache.Header = std::move(*Bytes);
      Cache.Facts = std::move(Made.Facts);
      Cache.Used.Came = HeaderUse::How::Made;
      Mine.write("");
      keepWithin(Cache.Settings.Folder, Cache.Settings.MostBytes);
      return true;
    }
  }
  (void)fs::remove(New);
  Mine.write(Unsuitable.str() + Why);
  return refuse(Why);
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
HeaderCache::withHeader(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Below) {
  Place = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  auto Overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(std::move(Below));
  Overlay->pushOverlay(Place);
  return Overlay;
}

void HeaderCache::use(CompilerInvocation &Invocation, const FileManager &Files) {
  PreprocessorOptions &Options = Invocation.getPreprocessorOpts();
  const size_t InFront = headersInFront(Options);
  if (Settings.Folder.empty() || InFront == 0)
    return;
  if (!Options.ImplicitPCHInclude.empty() || !Options.MacroIncludes.empty() ||
      !Options.RemappedFiles.empty() || !Invocation.getHeaderSearchOpts().VFSOverlayFiles.empty()) {
    Used.Why = "the command has options of its own for the headers";
    return;
  }
  CompilerInvocation Common(Invocation);
  keepCommonPart(Common, InFront);
  Entry Its(*this, Common, Files);
  if (!Its.read() && !Its.make())
    return;
  if (Used.Came != HeaderUse::How::Made) // by an earlier run, or by one at the same time
    Used.Came = HeaderUse::How::Kept;
  Used.Why.clear();
  Place->addFileNoOwn(HeaderPath, 0, Header->getMemBufferRef());
  Options.ImplicitPCHInclude = HeaderPath.str();
  // All that clang would check of the files has been.
  Options.DisablePCHOrModuleValidation = DisableValidationForModuleKind::PCH;
}

} // namespace graphprof::instrument
