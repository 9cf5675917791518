import AsyncLocation
import FoundationEssentials

/// Assembles locations and waypoints from the tokens of a location history, element by element.
/// Pure.
///
/// An element is held until its end, since its members may have any order; its path has at most
/// ``maximumPath`` positions.
struct GoogleHistoryAssembly: Sendable {
  typealias Schema = GoogleHistorySchema
  typealias Position = GoogleHistoryPosition

  /// The maximum number of positions of a path. Google's paths span two hours, or are simplified.
  static let maximumPath = 1 << 16

  /// An object or an array that is open.
  private struct Container {
    /// The index of its node in the schema; nil if unknown.
    let node: Int?
    let isObject: Bool
  }

  /// An element of a list.
  private struct Element {
    let list: Int
    let line: Int
    /// The number of containers around it.
    let depth: Int
    /// Whether any of its members is known.
    var isKnown = false
    var startDate: Date?
    var endDate: Date?
    var start: Position?
    var end: Position?
    var visit: Position?
    var text = WaypointText()
    /// The number of its positions that only describe the track in another way.
    var alternatives = 0
  }

  /// The start and the end of an activity whose element has no path.
  private struct Activity {
    let element: Element
    let ends: [Position]
  }

  /// The error after which the history cannot be read further.
  private(set) var error: RecordingError?
  private var containers: [Container] = []
  /// The node and the name of the value that comes next.
  private var node: Int? = 0
  private var name: String?
  private var element: Element?
  private var path: [Position] = []
  private var activities = WaitingActivities<Activity>()
  /// The open position, and its other values if it is a measurement.
  private var position = Position(line: 1)
  private var measured = RecordedFix(latitude: .nan, longitude: .nan)
  private var isFromIOS = false
  /// The list whose positions are the track: the first list that has any.
  private var trackList: Int?

  /// The approximate number of bytes held.
  var heldCount: Int {
    path.count * MemoryLayout<Position>.stride
      + activities.count * (MemoryLayout<Activity>.stride + 2 * MemoryLayout<Position>.stride)
  }

  mutating func handle(_ token: JSONToken, into output: inout RecordingOutput) {
    switch token.kind {
    case .name(let name):
      self.name = name
      node = containers.last?.node.flatMap { parent in
        name.flatMap { Schema.nodes[parent].members[$0] }
      }
    case .beginObject: begin(isObject: true, token, into: &output)
    case .beginArray: begin(isObject: false, token, into: &output)
    case .endObject, .endArray: end(into: &output)
    case .string, .number, .boolean, .null: handleValue(token, into: &output)
    }
  }

  /// Outputs the path of a truncated element.
  mutating func outputTruncatedPath(into output: inout RecordingOutput) {
    // The part that was open last may be incomplete: the visit, the end, or a coordinate of the
    // start.
    element?.isKnown = true
    element?.visit = nil
    element?.end = nil
    if let start = element?.start, start.latitude.isNaN || start.longitude.isNaN {
      element?.start = nil
    }
    close(into: &output)
    apply(activities.settle(), into: &output)
  }

  private mutating func close(into output: inout RecordingOutput) {
    if let element { close(element, into: &output) }
    element = nil
  }

  // MARK: Containers

  private mutating func begin(
    isObject: Bool, _ token: JSONToken, into output: inout RecordingOutput
  ) {
    if containers.isEmpty { node = isObject ? 0 : Schema.segments }
    let node = self.node
    containers.append(Container(node: node, isObject: isObject))
    // The elements of an array have the array's node.
    if isObject { self.node = nil }
    guard isObject, let node else { return }
    let schemaNode = Schema.nodes[node]
    if schemaNode.isElement, element == nil {
      element = Element(list: node, line: token.place.line, depth: containers.count - 1)
    } else {
      element?.isKnown = true
    }
    switch schemaNode.subject {
    case .measurement:
      position = Position(line: token.place.line)
      measured = RecordedFix(latitude: .nan, longitude: .nan)
      isFromIOS = false
    case .pathPoint: position = Position(line: token.place.line)
    case .start: element?.start = Position(line: token.place.line)
    case .end: element?.end = Position(line: token.place.line)
    case .visit: beginVisit(token)
    case .alternative: element?.alternatives += 1
    case .period, nil: break
    }
  }

  private mutating func beginVisit(_ token: JSONToken) {
    if element?.visit == nil { element?.visit = Position(line: token.place.line) }
  }

  private mutating func end(into output: inout RecordingOutput) {
    guard let container = containers.popLast() else { return }
    node = containers.last.flatMap { $0.isObject ? nil : $0.node }
    if !container.isObject, container.node == Schema.segments {
      apply(activities.settle(), into: &output)
    }
    guard container.isObject, let ended = container.node, let element else { return }
    switch Schema.nodes[ended].subject {
    case .measurement: appendMeasurement(element, into: &output)
    case .pathPoint: appendToPath()
    case .start, .end, .period, .visit, .alternative, nil: break
    }
    if containers.count == element.depth { close(into: &output) }
  }

  // MARK: Values

  private mutating func handleValue(_ token: JSONToken, into output: inout RecordingOutput) {
    guard let container = containers.last else {
      return output.skip(line: token.place.line, "the value is no location history")
    }
    if let node, !container.isObject, Schema.nodes[node].isElement {
      return output.skip(line: token.place.line, "the element of a list is no object")
    }
    if let node, case .string = token.kind {
      element?.isKnown = true
      return handleCoordinate(token, of: Schema.nodes[node].subject)
    }
    guard container.isObject, let owner = container.node,
      let subject = Schema.nodes[owner].subject, let member = name.flatMap({ Schema.members[$0] })
    else { return }
    set(member, token, of: subject)
  }

  /// Handles a text in the place of an object.
  private mutating func handleCoordinate(_ token: JSONToken, of subject: Schema.Subject?) {
    switch subject {
    case .visit:
      beginVisit(token)
      element?.visit?.setCoordinate(token)
    case .alternative: element?.alternatives += 1
    case .start: element?.start = Position(coordinate: token)
    case .end: element?.end = Position(coordinate: token)
    case .measurement, .pathPoint, .period, nil: break
    }
  }

  private mutating func set(
    _ member: Schema.Member, _ token: JSONToken, of subject: Schema.Subject
  ) {
    switch subject {
    case .measurement:
      if case .platform = member {
        isFromIOS = token.kind == .string("IOS")
      } else if !position.set(member, token) {
        measured.set(member, token)
      }
    case .pathPoint: _ = position.set(member, token)
    case .start: _ = element?.start?.set(member, token)
    case .end: _ = element?.end?.set(member, token)
    case .period: setPeriod(member, token)
    case .visit: setVisit(member, token)
    case .alternative: break
    }
  }

  private mutating func setPeriod(_ member: Schema.Member, _ token: JSONToken) {
    switch member {
    case .beginning: element?.startDate = Position.date(token)
    case .beginningMilliseconds: element?.startDate = Position.date(milliseconds: token)
    case .ending: element?.endDate = Position.date(token)
    case .endingMilliseconds: element?.endDate = Position.date(milliseconds: token)
    default: break
    }
  }

  private mutating func setVisit(_ member: Schema.Member, _ token: JSONToken) {
    guard case .string(let text) = token.kind else {
      _ = element?.visit?.set(member, token)
      return
    }
    switch member {
    case .name: element?.text.name = text
    case .address: element?.text.details = text
    case .kind: element?.text.type = text
    default: _ = element?.visit?.set(member, token)
    }
  }

  // MARK: Positions

  private mutating func appendMeasurement(
    _ element: Element, into output: inout RecordingOutput
  ) {
    var fix = measured
    // Core Location's altitudes are above mean sea level. Whether Google converts them is unknown.
    if isFromIOS { fix.ellipsoidalAltitude = nil }
    append(position, fix, of: element, into: &output)
  }

  private mutating func appendToPath() {
    guard path.count < Self.maximumPath else {
      error = RecordingError(
        .tooLarge, line: position.line,
        "the path of an element has more than \(Self.maximumPath) positions")
      return
    }
    path.append(position)
  }

  /// Outputs the positions and the visit of an element.
  private mutating func close(_ element: Element, into output: inout RecordingOutput) {
    if !element.isKnown, Schema.nodes[element.list].subject != .measurement {
      output.skip(line: element.line, "the element is not understood")
    }
    let hasPath = !path.isEmpty
    let (positions, unused) = orderedPath(of: element)
    output.omitAlternatives(element.alternatives + unused)
    if element.list == Schema.segments, !hasPath {
      if !positions.isEmpty { hold(element, positions, into: &output) }
    } else {
      if hasPath {
        apply(activities.addPath(positions.compactMap { date(of: $0, element) }), into: &output)
      }
      // A visit lies between two activities, so each activity begins a segment.
      append(positions, of: element, beginsSegment: element.list == Schema.objects, into: &output)
    }
    if let visit = element.visit { append(visit, of: element, into: &output) }
  }

  private mutating func append(
    _ positions: [Position], of element: Element, beginsSegment: Bool,
    into output: inout RecordingOutput
  ) {
    var beginsSegment = beginsSegment
    for position in positions {
      let isAppended = append(
        position, RecordedFix(latitude: .nan, longitude: .nan), of: element,
        beginsSegment: beginsSegment, into: &output)
      if isAppended { beginsSegment = false }
    }
  }

  // MARK: Activities and paths

  /// Holds the ends of an activity, since a later path may cover the activity.
  private mutating func hold(
    _ element: Element, _ ends: [Position], into output: inout RecordingOutput
  ) {
    guard let beginning = element.startDate, let ending = element.endDate, beginning <= ending
    else { return output.omitAlternatives(ends.count) }
    apply(
      activities.add(Activity(element: element, ends: ends), during: beginning...ending),
      into: &output)
  }

  private mutating func apply(
    _ decision: WaitingActivities<Activity>.Decision, into output: inout RecordingOutput
  ) {
    for activity in decision.covered { output.omitAlternatives(activity.ends.count) }
    for activity in decision.uncovered {
      append(activity.ends, of: activity.element, beginsSegment: true, into: &output)
    }
  }

  /// The path of an element with its start and end, and the number of these two that are left out
  /// because they have no time or are out of order.
  private mutating func orderedPath(of element: Element) -> (positions: [Position], unused: Int) {
    var positions: [Position] = []
    swap(&positions, &path)
    var unused = 0
    if var start = element.start {
      let next = positions.first.flatMap { date(of: $0, element) }
      if let beginning = element.startDate, next.map({ beginning <= $0 }) ?? positions.isEmpty {
        start.time = .date(beginning)
        positions.insert(start, at: 0)
      } else {
        unused += 1
      }
    }
    if var end = element.end {
      let last = positions.last.flatMap { date(of: $0, element) }
      if let ending = element.endDate, last.map({ $0 <= ending }) ?? positions.isEmpty {
        end.time = .date(ending)
        positions.append(end)
      } else {
        unused += 1
      }
    }
    return (positions, unused)
  }

  private func date(of position: Position, _ element: Element) -> Date? {
    switch position.time {
    case .date(let date): date
    case .minutes(let minutes): element.startDate?.addingTimeInterval(minutes * 60)
    case .missing, .damaged: nil
    }
  }

  /// Appends a position; returns false if it was left out.
  @discardableResult
  private mutating func append(
    _ position: Position, _ values: RecordedFix, of element: Element, beginsSegment: Bool = false,
    into output: inout RecordingOutput
  ) -> Bool {
    guard trackList == nil || trackList == element.list else {
      output.omitAlternatives(1)
      return false
    }
    guard let fix = fix(position, values, of: element, into: &output) else { return false }
    trackList = element.list
    output.append(
      RecordedPoint(
        fix: fix, kind: .track, beginsSegment: beginsSegment, line: position.line))
    return true
  }

  private func append(
    _ visit: Position, of element: Element, into output: inout RecordingOutput
  ) {
    var visit = visit
    visit.time = element.startDate.map(Position.Time.date) ?? .missing
    let values = RecordedFix(latitude: .nan, longitude: .nan)
    guard let fix = fix(visit, values, of: element, into: &output) else { return }
    output.append(element.text, fix, line: visit.line)
  }

  /// The fix of a position; nil without valid coordinates.
  private func fix(
    _ position: Position, _ values: RecordedFix, of element: Element,
    into output: inout RecordingOutput
  ) -> RecordedFix? {
    var fix = values
    (fix.latitude, fix.longitude) = (position.latitude, position.longitude)
    guard fix.hasPosition else {
      output.skip(line: position.line, "the position is missing, or none on Earth")
      return nil
    }
    fix.horizontalAccuracy = position.horizontalAccuracy
    if let date = date(of: position, element) {
      fix.time = .date(date)
    } else if position.time != .missing {
      output.skip(line: position.line, "the time of a position is not understood")
    }
    return fix
  }
}
