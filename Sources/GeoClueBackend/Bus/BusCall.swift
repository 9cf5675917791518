/// A call of a method over D-Bus.
struct BusCall: Hashable, Sendable {
  var destination: String
  var path: String
  var interface: String
  var member: String
  var arguments: [BusValue] = []
}
