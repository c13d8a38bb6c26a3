# Commands that graphprof-cc leaves alone: untouched.sh <graphprof-cc> <include flags> <library flags>
cc="$1 --strict"
$cc g++ main.o work.o $3 -o app
$cc g++ -E part.cpp
$cc g++ -M part.cpp
$cc g++ --version
$cc g++ -fsyntax-only part.cpp
$cc g++ -### -c part.cpp 2>/dev/null
$cc g++ -c start.s -o start.o
$cc ar rcs libwork.a work.o
$cc "$(dirname "$0")/compiler" probe
$cc g++ -c part.cpp -o /dev/null
echo "int x;" | $cc g++ -x c++ -c - -o /dev/null
$cc g++ -c CMakeFiles/CMakeScratch/TryCompile-1/part.cpp -o CMakeFiles/CMakeScratch/TryCompile-1/part.o
$cc g++ -c CMakeFiles/3.25.1/CompilerIdCUDA/part.cpp -o id.o
$cc env LANG=C g++ main.o work.o $3 -o app
if $cc g++ -c absent.cpp; then exit 1; fi
