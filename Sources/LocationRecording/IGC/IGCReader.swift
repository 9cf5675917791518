import AsyncLocation
import FoundationEssentials

/// Reads IGC, the format of gliders' and paragliders' flight recorders. Keeps one line in memory.
///
/// Heights are the receiver's, and are used if a header or the recorder determines their reference;
/// see ``IGCHeights``. Pressure altitudes are left out. Recorders write 0 for a missing height: a 0
/// is used only after a height other than 0, and not if the pressure altitude is 0 too.
///
/// An invalid fix (`V`) is two-dimensional. It is skipped if its position is zero or that of the
/// previous record: the recorder then had no fix. The points of the declared task are a route.
struct IGCReader: LineReader {
  private static let halfDay = 43_200.0

  var lines = LineSplitter(cap: 1024)
  /// The additional columns of fixes.
  private var fields: [IGCField] = []
  /// The date of the next fix, in days since 1970.
  private var day: Int?
  private var lastTime: Double?
  private var heights = IGCHeights.unknown
  /// Whether a height other than 0 was read.
  private var hasHeights = false
  /// Whether the omission of heights was reported.
  private var hasSkippedHeights = false
  private var lastPosition: (latitude: Double, longitude: Double)?

  /// Whether a line is the date or a fix.
  static func recognizes(_ line: ArraySlice<UInt8>) -> Bool {
    guard [UInt8(ascii: "B"), UInt8(ascii: "H")].contains(line.first) else { return false }
    switch IGCRecord(line, []) {
    case .date, .fix: return true
    default: return false
    }
  }

  mutating func handle(_ line: LineSplitter.Line, into output: inout RecordingOutput) {
    guard let record = IGCRecord(line.bytes, fields) else {
      return output.skip(line: line.number, "the record is not understood")
    }
    switch record {
    case .date(let date): (day, lastTime) = (date, nil)
    case .heights(let heights): self.heights = heights
    case .extensions(let fields): self.fields = fields
    case .turnPoint(let latitude, let longitude):
      output.append(
        RecordedPoint(
          fix: RecordedFix(latitude: latitude, longitude: longitude), kind: .route,
          beginsSegment: false, line: line.number))
    case .fix(let fix): appendPoint(of: fix, line: line.number, into: &output)
    case .other: break
    }
  }

  private mutating func appendPoint(of fix: IGCFix, line: Int, into output: inout RecordingOutput) {
    let isRepeated = lastPosition.map { $0 == (fix.latitude, fix.longitude) } ?? false
    guard !fix.isEmpty, fix.isThreeDimensional || !isRepeated else {
      return output.skip(line: line, "the recorder had no fix")
    }
    lastPosition = (fix.latitude, fix.longitude)
    var recorded = RecordedFix(latitude: fix.latitude, longitude: fix.longitude)
    recorded.time = time(fix.timeOfDay)
    setHeight(of: fix, &recorded, line: line, into: &output)
    recorded.mode = fix.isThreeDimensional ? .threeDimensional : .twoDimensional
    recorded.horizontalAccuracy = fix.horizontalAccuracy
    recorded.verticalAccuracy = fix.verticalAccuracy
    recorded.satellitesUsed = fix.satellitesUsed
    recorded.speed = fix.speed.map { ComputedNumber.rounded($0 / 3.6) }
    recorded.course = fix.course
    output.append(
      RecordedPoint(fix: recorded, kind: .track, beginsSegment: false, line: line))
  }

  private mutating func setHeight(
    of fix: IGCFix, _ recorded: inout RecordedFix, line: Int, into output: inout RecordingOutput
  ) {
    guard fix.isThreeDimensional, let height = fix.height else { return }
    if height != 0 {
      hasHeights = true
    } else if !hasHeights || fix.pressureHeight == 0 {
      return
    }
    switch heights {
    case .ellipsoid: recorded.ellipsoidalAltitude = height
    case .sea: recorded.altitude = height
    case .unknown:
      guard !hasSkippedHeights else { return }
      hasSkippedHeights = true
      output.skip(
        line: line, "the file does not say what its heights are above; they are left out")
    }
  }

  /// The time of a fix. A flight may continue after midnight.
  private mutating func time(_ timeOfDay: Double) -> RecordedTime {
    guard let day else { return .timeOfDay(timeOfDay) }
    if let lastTime, timeOfDay < lastTime - Self.halfDay { self.day = day + 1 }
    lastTime = timeOfDay
    let seconds = timeOfDay.rounded(.down)
    return .date(
      CivilTime.date(
        seconds: (self.day ?? day) * 86_400 + Int(seconds),
        nanoseconds: Int(((timeOfDay - seconds) * 1e9).rounded())))
  }
}
