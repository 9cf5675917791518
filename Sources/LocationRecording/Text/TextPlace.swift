/// A line and a column, both counted from 1; columns are bytes.
struct TextPlace: Hashable, Sendable {
  var line = 1
  var column = 1
}
