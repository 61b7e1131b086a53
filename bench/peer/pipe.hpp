// The common part of peers in C++. bench/support/pipe.lua describes the protocol.
#ifndef RILL_PIPE_HPP
#define RILL_PIPE_HPP

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

// Returns the contents of a file as elements of T.
template <class T> void load(std::vector<T> &data, const std::string &path)
{
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    data.resize(static_cast<size_t>(file.tellg()) / sizeof(T));
    file.seekg(0);
    file.read(reinterpret_cast<char *>(data.data()), static_cast<std::streamsize>(data.size() * sizeof(T)));
}

// Prints its name, then answers each line.
inline void serve(const std::string &title, std::string (*answer)(const std::string &line))
{
    std::cout << "ready " << title << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        std::cout << answer(line) << std::endl;
    }
}

#endif
