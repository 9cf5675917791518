/// The data of a path, rounded to tenths of a pixel, with each point relative to the previous one.
/// Pure.
struct PathData: Hashable, Sendable {
  private(set) var text = ""

  /// Appends a line. Points that coincide are left out; a line without length is a dot.
  mutating func append(line points: [PlanePoint]) { append(points, isClosed: false) }

  /// Appends the edge of an area.
  mutating func append(ring points: [PlanePoint]) { append(points, isClosed: true) }

  private mutating func append(_ points: [PlanePoint], isClosed: Bool) {
    guard let first = points.first else { return }
    var (x, y) = (Self.tenths(first.x), Self.tenths(first.y))
    text += "M"
    append(x)
    append(separated: y)
    var isFirst = true
    for point in points.dropFirst() {
      let (nextX, nextY) = (Self.tenths(point.x), Self.tenths(point.y))
      guard nextX != x || nextY != y else { continue }
      if isFirst {
        text += "l"
        append(nextX - x)
      } else {
        append(separated: nextX - x)
      }
      append(separated: nextY - y)
      isFirst = false
      (x, y) = (nextX, nextY)
    }
    if isFirst { text += "h0" }
    if isClosed { text += "z" }
  }

  /// Converts pixels to tenths, limited to a range beyond any picture.
  private static func tenths(_ pixels: Double) -> Int {
    Int((max(-1e6, min(1e6, pixels)) * 10).rounded())
  }

  /// Appends a number after another one. A minus sign separates them without a space.
  private mutating func append(separated tenths: Int) {
    if tenths >= 0 { text += " " }
    append(tenths)
  }

  private mutating func append(_ tenths: Int) {
    let magnitude = tenths.magnitude
    if tenths < 0 { text += "-" }
    let (whole, tenth) = magnitude.quotientAndRemainder(dividingBy: 10)
    if whole > 0 || tenth == 0 { text += String(whole) }
    if tenth > 0 { text += "." + String(tenth) }
  }
}
