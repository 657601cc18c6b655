/* Vitis HLS' stream, as much of it as the core uses: a read of an empty one, which would hang on a card, ends the test. */
#ifndef SHIM_HLS_STREAM_H
#define SHIM_HLS_STREAM_H

#include <cstdio>
#include <cstdlib>
#include <queue>

namespace hls {
template <typename T> class stream {
	std::queue<T> queue;

public:
	bool empty() const { return queue.empty(); }
	void write(const T &beat) { queue.push(beat); }
	T read()
	{
		if (queue.empty()) {
			printf("FAILED hls::stream: read while empty\n");
			exit(1);
		}
		T beat = queue.front();
		queue.pop();
		return beat;
	}
};
}

#endif
