/// A signal of D-Bus. Anybody on the bus may send one.
struct BusSignal: Hashable, Sendable {
  /// The unique name of the sender, which the bus sets.
  var sender: String
  var path: String
  var interface: String
  var member: String
  /// Nil if the arguments are malformed.
  var arguments: [BusValue]?
}
