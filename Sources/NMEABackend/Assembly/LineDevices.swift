import AsyncLocation

/// The devices of a line that deliver, and their names. Pure.
///
/// The receiver that delivers the first location has the source's name, so a source with one receiver
/// has one name. Any other device has a name of its own, such as "/dev/ttyUSB0 (II)": a change of the
/// receiver is then no movement. The names remain when the source is opened again.
struct LineDevices: Hashable, Sendable {
  /// The maximum number of compasses that are listed.
  private static let maximumCompasses = 16

  private let source: String
  private let sourceID: DeviceID
  /// The receiver that has the source's name; nil before the first location.
  private(set) var first: TalkerFamily?
  /// The receivers that had a position since the source was opened.
  private var receivers: [TalkerFamily] = []
  /// The receiver whose locations are delivered.
  private var inUse: TalkerFamily?
  /// The devices that delivered a heading since the source was opened.
  private var compasses: [TalkerFamily] = []

  init(source: String, first: TalkerFamily? = nil) {
    (self.source, sourceID, self.first) = (source, DeviceID(source), first)
  }

  // MARK: Names

  /// The names of the receivers, the one in use first; the source's name before the first location.
  var receiverNames: [String] {
    guard !receivers.isEmpty else { return [source] }
    let used = receivers.filter { $0 == inUse }
    return (used + receivers.filter { $0 != inUse }).map(name)
  }

  /// The names of all devices that deliver.
  var names: Set<String> { Set(receiverNames).union(compasses.map(name)) }

  func id(of family: TalkerFamily) -> DeviceID {
    hasSourcesName(family) ? sourceID : DeviceID(name(of: family))
  }

  private func name(of family: TalkerFamily) -> String {
    hasSourcesName(family) ? source : "\(source) (\(family.label))"
  }

  private func hasSourcesName(_ family: TalkerFamily) -> Bool { first.map { $0 == family } ?? true }

  // MARK: Events

  /// Handles a position, which is delivered if its receiver is in use.
  mutating func located(_ family: TalkerFamily, inUse: TalkerFamily?) {
    if first == nil { first = inUse }
    // LiveAssembler bounds the number of receivers.
    if !receivers.contains(family) { receivers.append(family) }
    self.inUse = inUse
  }

  /// Handles a change of the receiver in use without a position.
  mutating func changed(inUse: TalkerFamily?) { self.inUse = inUse }

  mutating func deliveredHeading(of family: TalkerFamily) {
    guard !compasses.contains(family), compasses.count < Self.maximumCompasses else { return }
    compasses.append(family)
  }

  /// Forgets the devices, but not their names.
  mutating func connectionEnded() { (receivers, inUse, compasses) = ([], nil, []) }
}
