/// Assembles the properties of a feature from their tokens. Pure.
///
/// Of lists, only those of times are kept.
struct PropertyAssembly: Sendable {
  /// The names of the times of a line, by preference: ours, and those of other programs.
  static let timeNames = ["times", "coordTimes", "coordinateTimes", "timestamps"]
  /// About what a property takes beside its texts.
  private static let overhead = 64

  private(set) var values: [String: GeoJSON.Value] = [:]
  private(set) var place = TextPlace()
  /// Whether there are none, or they are null or an object.
  private(set) var isAccepted = true
  /// About the bytes that are held by the values.
  private var valueCount = 0
  private var level = 0
  private var name: String?
  private var times: RecordedTimes?

  /// About the bytes that are held.
  var heldCount: Int { valueCount + (times?.heldCount ?? 0) }

  mutating func take(_ token: JSONToken) {
    defer { level += token.nesting }
    switch level {
    case 0:
      place = token.place
      isAccepted = token.kind == .beginObject || token.kind == .null
    case 1:
      guard isAccepted else { return }
      if case .name(let name) = token.kind {
        self.name = name
      } else if token.nesting >= 0, let name {
        begin(token, name)
      }
    default:
      times?.take(token, at: level - 2)
      guard level == 2, token.nesting < 0, let name, let times else { return }
      set(.times(times), of: name, count: times.heldCount)
      self.times = nil
    }
  }

  private mutating func begin(_ token: JSONToken, _ name: String) {
    if token.kind == .beginArray, Self.timeNames.contains(name) {
      times = RecordedTimes()
    } else {
      let value = GeoJSON.Value(token)
      set(value, of: name, count: value.text?.utf8.count ?? 0)
    }
  }

  /// The last of members with one name counts.
  private mutating func set(_ value: GeoJSON.Value, of name: String, count: Int) {
    values[name] = value
    valueCount += name.utf8.count + count + Self.overhead
  }
}
