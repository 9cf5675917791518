extension NMEASentence {
  /// The index of the field that has the time of the cycle.
  private var timeField: Int? {
    switch type {
    case "GGA", "GNS", "RMC", "GST", "ZDA": 1
    case "GLL": 5
    default: nil
    }
  }

  /// The time of the cycle; nil if the sentence does not have it.
  package var epochTime: Double? { timeField.flatMap(timeOfDay) }

  /// Whether the sentence has a time that cannot be read.
  package var hasInvalidTime: Bool {
    timeField.map { self[$0] != nil && timeOfDay($0) == nil } ?? false
  }

  /// The index of the first field of the position.
  var positionField: Int? {
    switch type {
    case "GGA", "GNS": 2
    case "RMC": 3
    case "GLL": 1
    default: nil
    }
  }

  /// Whether the sentence is of a type that has the receiver's position.
  package var isPosition: Bool { positionField != nil }

  /// Whether the sentence has a position of the receiver that can be read, valid or not.
  package var hasPosition: Bool { positionField.map { position($0) != nil } ?? false }

  /// Whether the sentence has a position that cannot be read. Without a fix, its fields are empty.
  package var hasInvalidPosition: Bool {
    let field: Int
    switch type {
    case "WPL": field = 1
    default:
      guard let position = positionField else { return false }
      field = position
    }
    return (field...field + 3).contains { self[$0] != nil } && position(field) == nil
  }

  /// Whether the sentence has no time and occurs at most once in a cycle.
  var isOncePerCycle: Bool {
    switch type {
    case "VTG", "HDT", "THS": true
    default: timeField != nil && epochTime == nil
    }
  }
}
