# Builds after one change after the other: incremental.sh <build folder> <source folder>
echo "== first"
cmake --build "$1"
echo "== nothing"
cmake --build "$1"
sleep 1.1 # makefiles compare whole seconds in places
echo "== one source"
touch "$2/work.cpp"
cmake --build "$1"
sleep 1.1
echo "== the header"
touch "$2/work.h"
cmake --build "$1"
echo "== other options"
cmake -S "$2" -B "$1" "-DINSTRUMENT_ARGUMENTS=STRICT"
cmake --build "$1"
echo "== end"
