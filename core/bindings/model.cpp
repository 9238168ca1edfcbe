// A model for Python, built from templates and arrays of weights.
#include "bindings/parser.hpp"

namespace headlong {

namespace {

// Makes the core's model from the templates and weights.
template <class Array>
auto make_pruned(const PyParserModel& model, const Array& weights, float scale, bool single_root) {
  using Weight = std::remove_const_t<typename Array::Scalar>;
  PrunedModel<Weight> made;
  made.model.arc = &model.arc;
  made.model.between = model.between ? &*model.between : nullptr;
  made.model.parts = make_table(weights, 1, scale);
  require(made.model.parts.stride == 1, "part weights must have one column");
  made.model.root = root_rule(single_root);
  made.model.instructions = best_instructions();
  return made;
}

}  // namespace

PyParserModel::PyParserModel(const Templates& arc_, std::optional<Templates> between_, Weights parts_, float part_scale,
                             bool single_root)
    : arc(arc_), between(std::move(between_)), parts(std::move(parts_)) {
  require(arc.slots == 2 && arc.relations == ARC_RELATIONS, "arc templates must have two slots and the arc relations");
  require(!between || (between->slots == 3 && between->relations == BETWEEN_RELATIONS),
          "between templates must have three slots and the between relations");
  std::visit([&](const auto& weights) { pruned = make_pruned(*this, weights, part_scale, single_root); }, parts);
}

void PyParserModel::set_labels(const Templates& label_, const Weights& labels_, float scale,
                               In<std::uint8_t, 3> allowed_) {
  require(label_.slots == 2 && label_.relations == ARC_RELATIONS,
          "label templates must have two slots and the arc relations");
  require(parts.index() == labels_.index(), "part and label weights must have the same type");
  require(allowed_.shape(0) == allowed_.shape(1) && allowed_.shape(0) <= MAX_TAGS,
          "allowed must be [tags, tags, labels]");
  const auto flags = view(allowed_);
  for (std::size_t pair = 0; pair < allowed_.shape(0) * allowed_.shape(1); ++pair) {
    const auto row = flags.subspan(pair * allowed_.shape(2), allowed_.shape(2));
    require(std::any_of(row.begin(), row.end(), [](std::uint8_t flag) { return flag != 0; }),
            "allowed must leave at least one label to every pair of tags");
  }
  label = label_;
  labels = labels_;
  allowed = std::move(allowed_);
  std::visit(
      [&](auto& made) {
        using Weight = std::remove_const_t<std::remove_pointer_t<decltype(made.model.parts.weights)>>;
        made.model.labels = make_table(std::get<In<Weight, 2>>(*labels), static_cast<Index>(allowed->shape(2)), scale);
        made.model.allowed = view(*allowed);
        made.model.tags = static_cast<Index>(allowed->shape(0));
        made.model.label = &*label;
      },
      pruned);
}

void PyParserModel::set_tree_labels(const Templates& templates) {
  require(label.has_value(), "tree labels need labels: call set_labels first");
  require(templates.slots == TREE_LABEL_SLOTS && templates.relations == TREE_LABEL_RELATIONS,
          "tree label templates must have seven slots and the relations of TreeLabel");
  tree_label = templates;
  std::visit([&](auto& made) { made.model.tree_label = &*tree_label; }, pruned);
}

void PyParserModel::set_parts(std::size_t kind, const Templates& templates) {
  require(kind < KINDS, "no such kind of parts");
  require(templates.slots == KIND_SLOTS[kind] && templates.relations == KIND_RELATIONS[kind],
          "templates must have the slots and relations of their kind of parts");
  families[kind] = templates;
  std::visit([&](auto& made) { made.model.families[kind] = &*families[kind]; }, pruned);
}

void PyParserModel::set_global(std::size_t kind, const Templates& templates) {
  require(kind < GLOBALS, "no such kind of parts");
  require(templates.slots == GLOBAL_SLOTS[kind] && templates.relations == GLOBAL_RELATIONS[kind],
          "templates must have the slots and relations of their kind of parts");
  global[kind] = templates;
  std::visit([&](auto& made) { made.model.global[kind] = &*global[kind]; }, pruned);
}

void PyParserModel::set_functions() {
  std::visit([](auto& made) { made.model.functions = true; }, pruned);
}

void PyParserModel::set_tensor(const PyTensor& given) {
  tensor = &given;
  std::visit([&](auto& made) { made.model.tensor = given.tensor.get(); }, pruned);
}

void PyParserModel::set_pruner(const PyParserModel& pruner, Index max_heads, double threshold) {
  require(pruned.index() == pruner.pruned.index(), "model and pruner must have the same type of weights");
  require(max_heads >= 1 && threshold >= 0.0 && threshold <= 1.0,
          "max_heads must be at least 1 and threshold in [0, 1]");
  std::visit(
      [&](auto& made) {
        const auto& other = std::get<std::remove_reference_t<decltype(made)>>(pruner.pruned).model;
        require(made.model.root == other.root, "model and pruner must have the same root rule");
        made.pruner = &other;
        made.rule = {max_heads, threshold};
      },
      pruned);
}

void PyParserModel::set_encoder(const PyEncoder& encoder, Index max_heads, double threshold) {
  require(label && static_cast<Index>(allowed->shape(2)) == encoder.encoder->network.shape.labels,
          "an encoder must have the labels of the model: call set_labels first");
  require(max_heads >= 1 && threshold >= 0.0 && threshold <= 1.0,
          "max_heads must be at least 1 and threshold in [0, 1]");
  std::visit(
      [&](auto& made) {
        made.encoder = encoder.encoder.get();
        made.rule = {max_heads, threshold};
      },
      pruned);
}

void PyParserModel::check(const Batch& batch) const {
  auto known = [&](const Templates& family) {
    for (const Atom& atom : family.atoms)
      require(atom.attribute < static_cast<Index>(batch.attributes.shape(1)),
              "a template looks at an attribute that the words do not have");
  };
  known(arc);
  if (between) known(*between);
  if (tree_label) known(*tree_label);
  for (const auto& family : families)
    if (family) known(*family);
  for (const auto& family : global)
    if (family) known(*family);
  std::visit(
      [&](const auto& made) {
        require(!made.model.functions || batch.function,
                "the model needs the feature functions that it was trained with");
        if (made.encoder)
          for (const EncoderColumn& column : made.encoder->columns)
            require(column.column < static_cast<Index>(batch.attributes.shape(1)),
                    "the encoder looks at an attribute that the words do not have");
        if (made.pruner) known(*made.pruner->arc);
        if (made.pruner && made.pruner->between) known(*made.pruner->between);
      },
      pruned);
  if (tensor) check_tensor(*tensor, batch);
  if (!label) return;
  known(*label);
  for (std::size_t word = 0; word < batch.traits.shape(0); ++word)
    require(batch.traits(word, 0) < allowed->shape(0), "a word's tag number is out of range");
}

}  // namespace headlong
