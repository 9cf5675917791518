import AsyncLocation
import FoundationEssentials

/// Reads the files of gliders' and paragliders' flight recorders, IGC. Keeps one line in memory.
///
/// Heights are the receiver's, above the ellipsoid unless a header says that they are above the geoid; the
/// pressure's are left out. The points of the declared task are a route.
struct IGCReader: LineReader {
  private static let halfDay = 43_200.0

  var lines = LineSplitter(cap: 1024)
  private var fields: [IGCField] = []
  private var day: Int?
  private var lastTime: Double?
  private var areEllipsoidal = true

  mutating func take(_ line: LineSplitter.Line, into output: inout RecordingOutput) {
    guard let record = IGCRecord(line.bytes, fields) else {
      return output.skip(line: line.number, "the record is not understood")
    }
    switch record {
    case .date(let date): (day, lastTime) = (date, nil)
    case .heights(let areEllipsoidal): self.areEllipsoidal = areEllipsoidal
    case .extensions(let fields): self.fields = fields
    case .turnPoint(let latitude, let longitude):
      output.append(
        RecordedPoint(
          fix: RecordedFix(latitude: latitude, longitude: longitude), kind: .route,
          beginsSegment: false, line: line.number))
    case .fix(let fix): take(fix, line: line.number, into: &output)
    case .other: break
    }
  }

  private mutating func take(_ fix: IGCFix, line: Int, into output: inout RecordingOutput) {
    guard !fix.isEmpty else { return output.skip(line: line, "the recorder had no fix") }
    var recorded = RecordedFix(latitude: fix.latitude, longitude: fix.longitude)
    recorded.time = time(fix.timeOfDay)
    if fix.isThreeDimensional {
      if areEllipsoidal {
        recorded.ellipsoidalAltitude = fix.height
      } else {
        recorded.altitude = fix.height
      }
    }
    recorded.mode = fix.isThreeDimensional ? .threeDimensional : .twoDimensional
    recorded.horizontalAccuracy = fix.horizontalAccuracy
    recorded.verticalAccuracy = fix.verticalAccuracy
    recorded.satellitesUsed = fix.satellitesUsed
    recorded.speed = fix.speed.map { ComputedNumber.rounded($0 / 3.6) }
    recorded.course = fix.course
    output.append(
      RecordedPoint(fix: recorded, kind: .track, beginsSegment: false, line: line))
  }

  /// A flight may go on after midnight.
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
