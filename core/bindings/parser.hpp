// Batches and models for Python, shared by parsing (parser.cpp) and training (trainer.cpp). The model is in model.cpp.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <optional>

#include "bindings/common.hpp"
#include "bindings/dense.hpp"
#include "bindings/tensor.hpp"
#include "model/batch.hpp"

namespace headlong {

// Sentences laid end to end, with the arrays that own them.
struct Batch {
  In<Code, 2> attributes;
  In<std::uint8_t, 2> traits;
  In<Index, 1> offsets;
  nb::object python_function;                // the feature function, or null
  FeatureFunction function;                  // calls python_function
  std::optional<In<float, 2>> vectors = {};  // [words, vector_size]

  Corpus corpus() const {
    return {view(attributes),
            {reinterpret_cast<const Traits*>(traits.data()), traits.shape(0)},
            view(offsets),
            {},
            {},
            static_cast<Index>(attributes.shape(1)),
            function ? &function : nullptr,
            vectors ? headlong::view(*vectors) : std::span<const float>(),
            vectors ? static_cast<Index>(vectors->shape(1)) : 0};
  }
};

// A parser model with the arrays and templates that it refers to, and its pruner if it has one.
struct PyParserModel {
  Templates arc;
  std::optional<Templates> between, label, tree_label;
  std::array<std::optional<Templates>, KINDS> families;
  std::array<std::optional<Templates>, GLOBALS> global;
  Weights parts;
  std::optional<Weights> labels;
  std::optional<In<std::uint8_t, 3>> allowed;
  std::variant<PrunedModel<float>, PrunedModel<std::int16_t>> pruned;
  const PyTensor* tensor = nullptr;

  PyParserModel(const Templates& arc_, std::optional<Templates> between_, Weights parts_, float part_scale,
                bool single_root);
  PyParserModel(const PyParserModel&) = delete;

  void set_labels(const Templates& label_, const Weights& labels_, float scale, In<std::uint8_t, 3> allowed_);
  void set_tree_labels(const Templates& templates);
  void set_parts(std::size_t kind, const Templates& templates);
  void set_global(std::size_t kind, const Templates& templates);
  void set_functions();
  void set_tensor(const PyTensor& given);
  void set_pruner(const PyParserModel& pruner, Index max_heads, double threshold);
  void set_encoder(const PyEncoder& encoder, Index max_heads, double threshold);

  // Raises ValueError unless the words have all attributes that the templates use, and valid tags.
  void check(const Batch& batch) const;
};

}  // namespace headlong
