// oneTBB's side of bench/tbb.lua: the standard library's parallel algorithms, which g++ runs on oneTBB. The protocol is
// described in bench/support/pipe.lua.
#include "pipe.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <execution>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::vector<float> x, result;
std::vector<uint32_t> u, sorted;

template <class T> std::string store(const char *type, const std::vector<T> &data, size_t size, const std::string &path)
{
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char *>(data.data()), static_cast<std::streamsize>(size * sizeof(T)));
    return std::string(type) + " " + std::to_string(size);
}

// Each case prepares its data, is timed, and returns the number of elements of its result.
struct Case {
    void (*prepare)();
    size_t (*run)();
};

const auto together = std::execution::par_unseq;

const std::map<std::string, Case> cases = {
    {"reduce",
     {[] { result.resize(1); },
      [] {
          result[0] = std::reduce(together, x.begin(), x.end());
          return size_t(1);
      }}},
    {"scan",
     {[] { result.resize(x.size()); },
      [] {
          std::inclusive_scan(together, x.begin(), x.end(), result.begin());
          return x.size();
      }}},
    {"copy_if",
     {[] { result.resize(x.size()); },
      [] {
          auto end = std::copy_if(together, x.begin(), x.end(), result.begin(), [](float v) { return v < 0.5f; });
          return static_cast<size_t>(end - result.begin());
      }}},
    {"sort",
     {[] { sorted = u; },
      [] {
          std::sort(together, sorted.begin(), sorted.end());
          return sorted.size();
      }}},
};

std::string answer(const std::string &line)
{
    std::istringstream words(line);
    std::string verb, name, type, shape, path;
    words >> verb >> name;
    if (verb == "give") {
        words >> type >> shape >> path;
        name == "x" ? load(x, path) : load(u, path);
        return "ok";
    }
    auto found = cases.find(name);
    if (found == cases.end()) {
        return "error: no case " + name;
    }
    found->second.prepare();
    auto start = std::chrono::steady_clock::now();
    size_t size = found->second.run();
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (verb == "time") {
        return std::to_string(seconds.count());
    }
    words >> path;
    return name == "sort" ? store("uint", sorted, size, path) : store("float", result, size, path);
}

} // namespace

int main()
{
    serve(std::string("oneTBB, g++ ") + __VERSION__, answer);
}
