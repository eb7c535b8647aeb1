// heddle_recording_*: work of the caller, queued by one call.
#include <heddle/recording.hpp>

#include "guard.hpp"
#include "handles.hpp"

using namespace heddle::c;

struct heddle_recording {
  heddle::Recording made;
};

heddle_status heddle_recording_create(heddle_device device, heddle_work work, void* context,
                                      heddle_recording** result) {
  return guard([&] {
    auto& made = needed(result, "result");
    if (!work) wrong_usage("NULL", "work");
    const auto queue = [=](heddle::Stream stream) {
      if (work(context, stream.handle) != 0) throw Stopped{};
    };
    made = new heddle_recording{{device_of(device), queue}};
  });
}

heddle_status heddle_recording_run(const heddle_recording* recording, heddle_stream stream) {
  return guard([&] { needed(recording, "recording").made.run({stream}); });
}

void heddle_recording_destroy(heddle_recording* recording) { delete recording; }
