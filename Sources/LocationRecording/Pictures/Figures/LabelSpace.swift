/// Assigns places to labels, so that no label covers another one or a mark. Pure.
struct LabelSpace {
  enum Anchor: String, Sendable { case start, middle, end }

  /// A place for a text: a point of its baseline, and the part of the text at that point.
  struct Option: Hashable, Sendable {
    let point: PlanePoint
    let anchor: Anchor

    init(_ x: Double, _ y: Double, _ anchor: Anchor) {
      (point, self.anchor) = (PlanePoint(x, y), anchor)
    }
  }

  private var occupied: [PlaneBox] = []
  /// Points of lines that a text should not cover.
  private var lines: [PlanePoint] = []
  private let bounds: PlaneBox
  private let textSize: Double

  /// - Parameter textSize: The size of the text in pixels, on a small screen.
  init(within bounds: PlaneBox, textSize: Double) {
    (self.bounds, self.textSize) = (bounds, textSize)
  }

  /// Reserves the place of a mark, which no label may cover.
  mutating func occupy(_ point: PlanePoint, radius: Double) {
    occupied.append(
      PlaneBox(left: point.x, top: point.y, right: point.x, bottom: point.y).expanded(by: radius))
  }

  /// Adds a line that labels should not cover.
  mutating func avoid(_ line: [PlanePoint]) {
    for (start, end) in zip(line, line.dropFirst()) {
      let count = max(1, min(500, Int(start.distance(to: end) / textSize * 3)))
      lines += (0...count).map { start.point(atFraction: Double($0) / Double(count), to: end) }
    }
  }

  /// Reserves a free place for a text: that with the fewest points of lines under the text, and the
  /// first of equally good places. Returns nil if there is no free place.
  mutating func reserve(_ text: String, _ options: [Option]) -> Option? {
    let free = options.map { ($0, box(text, $0)) }.filter { _, box in
      bounds.contains(PlanePoint(box.left, box.top))
        && bounds.contains(PlanePoint(box.right, box.bottom))
        && !occupied.contains(where: box.intersects)
    }
    let covered = free.map { _, box in lines.count(where: box.contains) }
    guard let index = covered.indices.min(by: { covered[$0] < covered[$1] }) else { return nil }
    occupied.append(free[index].1)
    return free[index].0
  }

  /// The approximate width of a text: the usual width of a letter for each character.
  static func width(_ text: String, textSize: Double) -> Double {
    Double(text.count) * textSize * 0.6
  }

  /// The approximate box of a text at a place.
  private func box(_ text: String, _ option: Option) -> PlaneBox {
    let width = Self.width(text, textSize: textSize)
    let left =
      switch option.anchor {
      case .start: option.point.x
      case .middle: option.point.x - width / 2
      case .end: option.point.x - width
      }
    let y = option.point.y
    return PlaneBox(
      left: left, top: y - textSize * 0.85, right: left + width, bottom: y + textSize * 0.2)
  }
}
