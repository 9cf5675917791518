import AsyncLocation

/// Assembles the `coordinates` of a geometry from their tokens, and checks them. Pure.
///
/// The type of the geometry may follow its coordinates, so the tokens are read for each depth of
/// nesting that a geometry may have. At the first number, all depths but one fail, and store
/// nothing.
struct CoordinateAssembly: Sendable {
  // The coordinates as a position, as an array of positions, and so on.
  private(set) var point = CoordinateList(depth: 0)
  private(set) var list = CoordinateList(depth: 1)
  private(set) var lists = CoordinateList(depth: 2)
  private(set) var groups = CoordinateList(depth: 3)
  /// The index of the current element in each open array.
  private var indices: [Int] = []
  /// The number of open containers from the outermost object on.
  private var objectDepth = 0

  /// The approximate number of bytes held.
  var heldCount: Int {
    point.heldCount + list.heldCount + lists.heldCount + groups.heldCount
  }

  mutating func handle(_ token: JSONToken) {
    guard objectDepth == 0 else {
      objectDepth += token.nesting
      if objectDepth == 0 { endElement() }
      return
    }
    switch token.kind {
    case .beginArray:
      each { $0.begin(token.place, at: $1) }
      indices.append(0)
    case .endArray:
      indices.removeLast()
      each { $0.end(at: $1) }
      endElement()
    case .number(let number):
      each { $0.append(number.value, token.place, at: $1) }
      endElement()
    case .beginObject:
      each { $0.append(nil, token.place, at: $1) }
      objectDepth = 1
    case .name, .string, .boolean, .null, .endObject:
      each { $0.append(nil, token.place, at: $1) }
      endElement()
    }
  }

  /// Drops the open position when it ends.
  mutating func dropOpenPosition() { each { list, _ in list.dropsPosition = true } }

  private mutating func each(_ body: (inout CoordinateList, [Int]) -> Void) {
    if point.fault == nil { body(&point, indices) }
    if list.fault == nil { body(&list, indices) }
    if lists.fault == nil { body(&lists, indices) }
    if groups.fault == nil { body(&groups, indices) }
  }

  private mutating func endElement() {
    if !indices.isEmpty { indices[indices.count - 1] += 1 }
  }
}

/// Positions at a depth of nesting: 0 is a position, 1 an array of positions, and so on. Pure.
struct CoordinateList: Sendable {
  /// The reason that the coordinates are not valid at this depth, and the place.
  struct Fault: Hashable, Sendable {
    enum Problem: Hashable, Sendable {
      /// Another element than the expected one, which the text describes.
      case unexpected(String)
      /// A latitude or longitude out of range. `isExchanged` is true if the numbers would be in
      /// range in the other order.
      case outOfRange(isExchanged: Bool)
    }

    let problem: Problem
    /// The indices of the element.
    let path: [Int]
    let place: TextPlace
  }

  /// The approximate number of bytes of an array besides its elements.
  private static let overhead = 40

  private let depth: Int
  private(set) var fault: Fault?
  /// The positions of the innermost open array, or of the last array.
  private(set) var positions: [GeoJSON.Position] = []
  private(set) var lists: [[GeoJSON.Position]] = []
  private(set) var groups: [[[GeoJSON.Position]]] = []
  /// The approximate number of bytes held.
  private(set) var heldCount = 0

  /// Whether positions are dropped at their end.
  var dropsPosition = false
  /// The place and the numbers of the open position.
  private var place = TextPlace()
  private var numberCount = 0
  private var longitude = 0.0
  private var latitude = 0.0
  private var altitude: Double?

  init(depth: Int) { self.depth = depth }

  /// Begins an array.
  ///
  /// - Parameter path: The indices of the array.
  mutating func begin(_ place: TextPlace, at path: [Int]) {
    guard path.count <= depth else {
      return fail(.unexpected("a number"), at: self.place, path: path)
    }
    guard path.count == depth else { return }
    (self.place, numberCount, altitude) = (place, 0, nil)
  }

  /// Ends an array.
  mutating func end(at path: [Int]) {
    switch depth - path.count {
    case 0: endPosition(path)
    case 1 where depth > 1:
      lists.append(positions)
      positions = []
      heldCount += Self.overhead
    case 2 where depth > 2:
      groups.append(lists)
      lists = []
      heldCount += Self.overhead
    default: break
    }
  }

  /// Appends an element that is not an array.
  ///
  /// - Parameter number: Nil if the element is not a number.
  mutating func append(_ number: Double?, _ place: TextPlace, at path: [Int]) {
    guard path.count > depth else { return fail(.unexpected("an array"), at: place, path: path) }
    guard let number else { return fail(.unexpected("a number"), at: self.place, path: path) }
    switch numberCount {
    case 0: longitude = number
    case 1: latitude = number
    case 2: altitude = number
    default: break
    }
    numberCount += 1
  }

  private mutating func endPosition(_ path: [Int]) {
    guard !dropsPosition else { return }
    guard numberCount >= 2 else {
      return fail(.unexpected("a position: longitude, latitude"), at: place, path: path)
    }
    guard let coordinate = try? Coordinate(latitude: latitude, longitude: longitude) else {
      let isExchanged = (try? Coordinate(latitude: longitude, longitude: latitude)) != nil
      return fail(.outOfRange(isExchanged: isExchanged), at: place, path: path)
    }
    positions.append(GeoJSON.Position(coordinate, altitude: altitude))
    heldCount += MemoryLayout<GeoJSON.Position>.stride
  }

  /// Records the first fault, and drops all positions.
  private mutating func fail(_ problem: Fault.Problem, at place: TextPlace, path: [Int]) {
    fault = Fault(problem: problem, path: path, place: place)
    (positions, lists, groups, heldCount) = ([], [], [], 0)
  }
}
