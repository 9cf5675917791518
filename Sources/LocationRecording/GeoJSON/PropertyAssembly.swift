/// Assembles the properties of a feature from their tokens. Pure.
///
/// Of all lists, only those of times are stored. placemark/togeojson writes the lists for a line's
/// positions in the object ``positionsName``: its times are used as times of the feature, and the
/// names of its other members are in ``omittedNames``.
struct PropertyAssembly: Sendable {
  /// The names of lists of times, in order of preference: this package's, then those of others.
  static let timeNames = ["times", "coordTimes", "coordinateTimes", "timestamps"]
  /// The object with lists that have an element for each position.
  static let positionsName = "coordinateProperties"
  /// The approximate number of bytes of a property besides its texts.
  private static let overhead = 64

  private(set) var values: [String: GeoJSON.Value] = [:]
  /// The names of members of ``positionsName`` that are not stored.
  private(set) var omittedNames: [String] = []
  private(set) var place = TextPlace()
  /// Whether the properties are missing, null or an object.
  private(set) var isAccepted = true
  /// The approximate number of bytes held by the values.
  private var valueCount = 0
  private var level = 0
  private var name: String?
  /// Whether the current member is ``positionsName``.
  private var isOfPositions = false
  private var times: RecordedTimes?

  /// The approximate number of bytes held.
  var heldCount: Int { valueCount + (times?.heldCount ?? 0) }

  mutating func handle(_ token: JSONToken) {
    defer { level += token.nesting }
    switch level {
    case 0:
      place = token.place
      isAccepted = token.kind == .beginObject || token.kind == .null
    case 1:
      guard isAccepted else { return }
      if case .name(let name) = token.kind {
        (self.name, isOfPositions) = (name, false)
      } else if token.nesting >= 0, let name {
        isOfPositions = name == Self.positionsName && token.kind == .beginObject
        if isOfPositions { self.name = nil } else { begin(token, name) }
      }
    case 2 where isOfPositions:
      if case .name(let name) = token.kind {
        self.name = name
      } else if token.nesting >= 0, let name {
        beginList(token, name)
      }
    default:
      let listLevel = isOfPositions ? 3 : 2
      times?.handle(token, at: level - listLevel)
      guard level == listLevel, token.nesting < 0, let name, let times else { return }
      set(.times(times), of: name, count: times.heldCount)
      self.times = nil
    }
  }

  /// Begins the value of a member of ``positionsName``.
  private mutating func beginList(_ token: JSONToken, _ name: String) {
    if token.kind == .beginArray, Self.timeNames.contains(name) {
      times = RecordedTimes()
    } else {
      omittedNames.append(name)
      valueCount += name.utf8.count + Self.overhead
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

  /// Sets a property. It replaces an earlier property with the same name.
  ///
  /// - Parameter count: The number of bytes of the value.
  private mutating func set(_ value: GeoJSON.Value, of name: String, count: Int) {
    values[name] = value
    valueCount += name.utf8.count + count + Self.overhead
  }
}
