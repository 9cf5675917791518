import AsyncLocation

/// The names that the receivers of one source have in the combined backend.
struct SourceNames: Sendable {
  /// The maximum number of receivers with a name of their own. Names come from outside.
  private static let limit = 1_024

  private let source: String
  private let sourceID: DeviceID
  private var identifiers: [DeviceID: DeviceID] = [:]

  init(_ source: String) {
    self.source = source
    sourceID = DeviceID(source)
  }

  /// The name of a receiver; that of the source for a receiver without a name.
  func name(_ receiver: String?) -> String { receiver.map { "\(source):\($0)" } ?? source }

  /// The receiver that a name selects; nil if it selects another source.
  func receiver(_ name: String) -> Selected? {
    if name == source { return .any }
    guard name.hasPrefix("\(source):") else { return nil }
    return .named(String(name.dropFirst(source.count + 1)))
  }

  enum Selected: Hashable, Sendable {
    case any
    case named(String)
  }

  /// The origin of a report in the combined backend.
  mutating func renamed(_ origin: SourceInformation?, isPreferred: Bool) -> SourceInformation {
    SourceInformation(
      isSimulated: origin?.isSimulated ?? false, deviceID: identifier(origin?.deviceID ?? .none),
      timeSource: origin?.timeSource ?? .receiver,
      isPreferred: isPreferred && origin?.isPreferred ?? true)
  }

  private mutating func identifier(_ receiver: DeviceID) -> DeviceID {
    guard let name = receiver.name else { return sourceID }
    if let known = identifiers[receiver] { return known }
    guard identifiers.count < Self.limit else { return sourceID }
    let identifier = DeviceID(self.name(name))
    identifiers[receiver] = identifier
    return identifier
  }
}
