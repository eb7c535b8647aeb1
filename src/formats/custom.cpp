#include "formats/custom.hpp"

#include <algorithm>
#include <charconv>
#include <list>
#include <mutex>

#include "core/memory_errors.hpp"
#include "core/parallel.hpp"
#include "formats/registered.hpp"

namespace heddle {

namespace {

// Lines of the registry and what stands behind them stay where they are.
struct Known {
  std::mutex guard;
  std::list<std::pair<CustomFormat, Format>> all;
};
Known& known() {
  static Known of_this_process;
  return of_this_process;
}

const CustomFormat& custom(const Plan& plan) {
  const CustomFormat* found = find_custom(plan.format);
  check(found != nullptr, ErrorKind::internal, "{} was registered, and is not known", plan.format);
  return *found;
}

// Its settings as fields, which read and write them as they do those of the library.
class Values {
 public:
  explicit Values(const CustomFormat& format) : name_(format.info.name), numbers_(format.info.settings.size()) {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const SettingInfo& setting = format.info.settings[i];
      fields_.push_back({.name = setting.name.c_str(),
                         .value = &numbers_[i],
                         .meaning = setting.meaning.c_str(),
                         .low = static_cast<int>(setting.low),
                         .high = static_cast<int>(setting.high),
                         .words = setting.allowed});
      fallbacks_.settings.emplace_back(setting.name, setting.fallback);
    }
    fallbacks_.format = name_;
    read_settings(fields_, fallbacks_);
  }

  Plan completed(const Plan& plan) const {
    read_settings(fields_, plan);
    return write_settings(fields_, name_);
  }

 private:
  std::string name_;
  std::vector<int> numbers_;
  std::vector<Field> fields_;
  Plan fallbacks_;
};

template <class V>
class CustomStore final : public Store<V> {
 public:
  explicit CustomStore(std::unique_ptr<FormatStore<V>> format) : format_(std::move(format)) {}

  void multiply(const Product<V>& p) const override {
    format_->multiply({p.update.alpha, p.update.beta, p.x, p.update.y, p.stream});
  }
  bool multiply_many(const ProductMany<V>&) const override { return false; }
  void reserve(int) override {}
  Csr<V> restore() const override { return format_->restore(); }
  std::int64_t bytes() const override { return format_->bytes(); }
  bool keeps(const void*) const override { return false; }  // what is lent is copied
  std::vector<std::span<V>> value_arrays() override { return format_->value_arrays(); }
  bool takes_turns() const override { return false; }

 private:
  std::unique_ptr<FormatStore<V>> format_;
};

void check_device(const CustomFormat& format, Device device) {
  if (device.kind == Device::Kind::emulator)
    fail(ErrorKind::unavailable, {format.info.name, "take the CPU"}, "the emulator runs kernels of the library alone");
  if (device.kind == Device::Kind::gpu && !format.on_gpu)
    fail(ErrorKind::unavailable, {format.info.name, "give it multiply_on_gpu, or take the CPU"},
         "this format has no kernel for a GPU");
}

Footprint need(const Plan& plan, const PatternView& A, int value_bytes) {
  return judged(custom(plan).footprint(A, plan, value_bytes), A.nnz());
}

// Nothing of it is done by kernels of the library.
template <class V>
class CustomBuilder final : public Builder<V> {
 public:
  CustomBuilder(BuildBoard<V>& board, const Plan& plan, Device device) : board_(board), plan_(plan), device_(device) {}

  void begin() override {}
  bool settle(bool values_will_change) override {
    plan_ = complete_plan(custom(plan_), plan_);
    for (auto& [key, value] : plan_.settings)
      if (key == "values" && values_will_change) value = "raw";
    return true;
  }
  Plan plan() const override { return plan_; }
  std::unique_ptr<Store<V>> finish() override {
    const CustomFormat& format = custom(plan_);
    const CsrView<V>& A = board_.matrix();
    if (const Footprint room = need(plan_, A, sizeof(V)); !room.fits) does_not_fit(plan_, room);
    check_device(format, device_);
    if constexpr (std::is_same_v<V, float>)
      return std::make_unique<CustomStore<V>>(format.build_f32(A, plan_, device_));
    else
      return std::make_unique<CustomStore<V>>(format.build_f64(A, plan_, device_));
  }

 private:
  BuildBoard<V>& board_;
  Plan plan_;
  Device device_;
};

template <class V>
std::unique_ptr<Builder<V>> builder_here(BuildBoard<V>& board, const Plan& plan, Device device) {
  if (board.device().kind != Device::Kind::cpu) return nullptr;
  return std::make_unique<CustomBuilder<V>>(board, plan, device);
}

// Without names: a member added to Format is an error here.
Format line_of(const CustomFormat& format) {
  const auto resolve = [](const Plan& plan, const PatternView&, int) { return complete_plan(custom(plan), plan); };
  return {format.info, resolve, need, need, builder_here<float>, builder_here<double>, false};
}

void check_name(const CustomFormat& format) {
  const std::string& name = format.info.name;
  const At at{name, "letters, digits and _, and not the name of another format"};
  const auto in_a_word = [](char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); };
  if (name.empty() || !std::all_of(name.begin(), name.end(), in_a_word))
    fail(ErrorKind::usage, at, "'{}' is no name for a format", name);
  for (const Format* line : registry())
    if (line->info.name == name) fail(ErrorKind::usage, at, "there is a format {} already", name);
}

void check_settings(const CustomFormat& format) {
  constexpr std::size_t most_words = 12;  // of a Field
  for (const SettingInfo& setting : format.info.settings)
    if (setting.allowed.size() > most_words)
      fail(ErrorKind::usage, {setting.name, "give low and high instead"}, "a setting with {} allowed values",
           setting.allowed.size());
  (void)Values(format);
}

}  // namespace

const CustomFormat* find_custom(const std::string& name) {
  Known& here = known();
  const std::lock_guard guard(here.guard);
  for (const auto& [format, line] : here.all)
    if (format.info.name == name) return &format;
  return nullptr;
}

Plan complete_plan(const CustomFormat& format, const Plan& plan) { return Values(format).completed(plan); }

void add_format(CustomFormat format) {
  with_memory_errors([&] {
    Known& here = known();
    const std::lock_guard guard(here.guard);
    check_name(format);
    check_settings(format);
    const Format line = line_of(format);
    add_line(here.all.emplace_back(std::move(format), line).second);
  });
}

int setting(const Plan& plan, std::string_view name) {
  const std::string* text = plan.find(name);
  int number = 0;
  const bool found =
      text != nullptr && !text->empty() &&
      std::from_chars(text->data(), text->data() + text->size(), number).ptr == text->data() + text->size();
  if (!found) fail(ErrorKind::usage, At{to_string(plan)}, "no number for '{}'", name);
  return number;
}

void run_rows(std::int64_t rows, std::int64_t entries,
              void (*run)(const void* context, std::int64_t begin, std::int64_t end), const void* context) {
  parallel_work(rows, entries, [&](std::int64_t begin, std::int64_t end) { run(context, begin, end); });
}

}  // namespace heddle
