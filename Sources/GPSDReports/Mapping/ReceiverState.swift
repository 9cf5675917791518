import AsyncLocation
import FoundationEssentials

/// The state of one receiver between its reports.
struct ReceiverState {
  private enum Fix { case unknown, present, lost }

  /// After this many fixes without a compass report, the course is used as the heading again.
  private static let maximumFixesWithoutCompass = 30
  /// After this many fixes without a SKY report, the data of the last one is no longer used.
  private static let maximumFixesWithoutSky = 60

  /// gpsd's device path; nil for reports without one.
  let name: String?
  /// The device of the receiver's events; `none` if the name limit is reached.
  let device: DeviceID
  let id: ReceiverSelection.ID
  /// The number of the receiver's last report, counted over all receivers.
  var lastReport = 0
  /// When the last ATT report with a heading arrived.
  var lastAttitude: Duration?
  /// Decides which of its reports are combined into a location.
  var epoch = EpochStateMachine()
  /// The merged numbers of the epoch's reports so far.
  var epochReport = TPV()
  /// The range of the last delivered epoch's events in its chunk's event array.
  var epochEvents = 0..<0
  private var fix = Fix.unknown
  private var clock = ReceiverClock()
  private var dilution: DilutionOfPrecision?
  private var satellitesUsed: Int?
  private var satellitesVisible: Int?
  private var fixesSinceSky = 0
  /// The number of fixes since a compass report; nil if no compass is active.
  private var fixesSinceCompass: Int?

  init(name: String?, device: DeviceID, id: ReceiverSelection.ID) {
    (self.name, self.device, self.id) = (name, device, id)
  }

  /// Decides which location a report with a fix belongs to, and stores its numbers if it is to be
  /// delivered immediately.
  @inline(__always)
  mutating func decideEpoch(
    of report: borrowing TPV, chunk: Int?, _ arrival: Duration
  ) -> EpochStateMachine.Decision {
    let decision = epoch.reported(
      at: report.time?.timeIntervalSinceReferenceDate, report.motion, chunk: chunk, arrival)
    if decision == EpochStateMachine.Decision(.deliver) {
      epochReport.replaceNumbers(with: report)
    }
    return decision
  }

  /// Whether a report's positions and courses also serve subscribers without a `device` option.
  struct Preference {
    var positions = true
    var courses = true
  }

  /// The time and the source of a fix.
  typealias Origin = (timestamp: Date, source: SourceInformation)

  /// Appends the location of a report. Returns its time and source; nil if the report has no fix or
  /// cannot be dated.
  @inline(__always)
  mutating func addLocation(
    of report: borrowing TPV, _ preference: Preference,
    _ horizon: inout ReceiverClock.Horizon, to batch: inout EventBatch
  ) -> Origin? {
    guard let mode = GNSSFix.Mode(report), let latitude = report.latitude,
      let longitude = report.longitude
    else { return nil }
    let (time, timeSource) = fixTime(
      report.time, isThreeDimensional: mode == .threeDimensional, &horizon, batch.hostTime)
    var timestamp = time
    if timeSource == .host {
      do throws(LocationError) {
        timestamp = try Timestamp.exact(time, "timestamp")
      } catch {
        // The host's clock is outside of the supported range, so nothing can be dated.
        fix = .lost
        if preference.positions { batch.events.append(.unavailable(error)) }
        epochEvents = batch.events.count..<batch.events.count
        return nil
      }
    }
    let status = GNSSFix.Status(report)
    let source = SourceInformation(
      isSimulated: status == .simulated, deviceID: device, timeSource: timeSource,
      isPreferred: preference.positions)
    if fixesSinceSky < Self.maximumFixesWithoutSky {
      fixesSinceSky += 1
    } else {
      (dilution, satellitesUsed, satellitesVisible) = (nil, nil, nil)
    }
    fix = .present
    epochEvents = batch.events.count..<batch.events.count + 1
    // The decoder has checked every number against the same ranges.
    batch.events.append(
      .location(
        Location(
          checked: Coordinate(checkedLatitude: latitude, longitude: longitude),
          timestamp: timestamp, altitude: report.bestAltitude,
          ellipsoidalAltitude: report.ellipsoidalAltitude,
          horizontalAccuracy: report.horizontalAccuracy,
          verticalAccuracy: report.verticalError, speed: report.speed,
          speedAccuracy: report.speedError, course: report.course,
          courseAccuracy: report.courseAccuracy, climb: report.climb,
          sourceInformation: source,
          gnss: GNSSFix(
            checked: mode, status: status, dilutionOfPrecision: dilution,
            satellitesUsed: satellitesUsed, satellitesVisible: satellitesVisible,
            magneticVariation: report.magneticVariation,
            geoidSeparation: report.geoidSeparation,
            differentialAge: report.differentialAge,
            differentialStation: report.differentialStation,
            timeUncertainty: report.timeError, jamming: report.jamming,
            antennaStatus: report.antennaStatus))))
    return (timestamp, source)
  }

  /// Appends the course of a fix as a heading, unless a compass is active.
  @inline(__always)
  mutating func addCourse(
    of report: borrowing TPV, _ origin: Origin, _ preference: Preference,
    to batch: inout EventBatch
  ) {
    if let silence = fixesSinceCompass {
      fixesSinceCompass = silence < Self.maximumFixesWithoutCompass ? silence + 1 : nil
      return
    }
    guard let course = report.course else { return }
    let source = SourceInformation(
      isSimulated: origin.source.isSimulated, deviceID: device,
      timeSource: origin.source.timeSource,
      isPreferred: preference.courses)
    let heading = try? Heading(
      trueHeading: course, magneticHeading: report.measuredMagneticTrack,
      headingAccuracy: report.courseAccuracy, timestamp: origin.timestamp,
      source: .courseOverGround, sourceInformation: source)
    guard let heading else { return }
    batch.events.append(.heading(heading))
    epochEvents = epochEvents.lowerBound..<batch.events.count
  }

  /// Stores the dilution of precision and satellite counts for the next fixes. Appends a satellite
  /// view if wanted.
  mutating func addSatellites(
    of report: borrowing SKY, isPreferred: Bool, isWanted: Bool,
    _ horizon: inout ReceiverClock.Horizon, to batch: inout EventBatch
  ) {
    fixesSinceSky = 0
    if let reported = DilutionOfPrecision(report) { dilution = reported }
    let list = report.satellites
    satellitesUsed =
      report.usedCount
      ?? list.map { $0.count { $0.isUsed == true } }.flatMap(Self.plausibleCount) ?? satellitesUsed
    satellitesVisible =
      report.visibleCount ?? list.flatMap { Self.plausibleCount($0.count) }
      ?? satellitesVisible
    guard let list, isWanted else { return }
    let (timestamp, timeSource) = time(report.time, &horizon, batch.hostTime)
    let view = try? SatelliteView(
      timestamp: timeSource == .receiver ? timestamp : nil,
      satellites: list.compactMap(Satellite.init), dilutionOfPrecision: dilution,
      sourceInformation: SourceInformation(
        deviceID: device, timeSource: timeSource, isPreferred: isPreferred))
    if let view { batch.events.append(.satellites(view)) }
  }

  /// Appends a compass heading; a report without a heading produces no event.
  mutating func addHeading(
    of report: borrowing ATT, isPreferred: Bool, _ horizon: inout ReceiverClock.Horizon,
    to batch: inout EventBatch
  ) {
    let (timestamp, timeSource) = time(report.time, &horizon, batch.hostTime)
    var field: Heading.MagneticField?
    if let x = report.magneticX, let y = report.magneticY, let z = report.magneticZ {
      field = try? Heading.MagneticField(x: x, y: y, z: z)
    }
    let heading = try? Heading(
      trueHeading: report.heading, magneticHeading: report.magneticHeading,
      magneticField: field, timestamp: timestamp, source: .compass,
      sourceInformation: SourceInformation(
        deviceID: device, timeSource: timeSource, isPreferred: isPreferred))
    guard let heading else { return }
    fixesSinceCompass = 0
    batch.events.append(.heading(heading))
  }

  /// Resets a receiver that gpsd has removed. Returns whether the loss of its fix is new.
  mutating func removed() -> Bool {
    defer {
      self = Self(name: name, device: device, id: id)
      fix = .lost
    }
    return lose()
  }

  /// Handles the loss of the fix. Returns whether the loss is new.
  mutating func lose() -> Bool {
    clock.lostFix()
    guard fix != .lost else { return false }
    fix = .lost
    return true
  }

  /// Returns the receiver's time if it is plausible, otherwise the host's.
  @inline(__always)
  private mutating func time(
    _ time: Date?, _ horizon: inout ReceiverClock.Horizon, _ hostTime: () -> Date
  ) -> (Date, SourceInformation.TimeSource) {
    if let time, clock.accepts(time, &horizon, hostTime: hostTime) { return (time, .receiver) }
    return (hostTime(), .host)
  }

  /// Returns the time of a fix by the same rule. The times of fixes also prove the receiver's
  /// clock; until then, its times are provisional.
  @inline(__always)
  private mutating func fixTime(
    _ time: Date?, isThreeDimensional: Bool, _ horizon: inout ReceiverClock.Horizon,
    _ hostTime: () -> Date
  ) -> (Date, SourceInformation.TimeSource) {
    guard let time, clock.accepts(time, &horizon, hostTime: hostTime) else {
      clock.lostFix()
      return (hostTime(), .host)
    }
    clock.fixed(at: time, isThreeDimensional: isThreeDimensional)
    return (time, clock.isProved ? .receiver : .provisional)
  }

  /// Returns a count that is in the range of gpsd's own counts; otherwise nil.
  private static func plausibleCount(_ count: Int) -> Int? { count <= 1000 ? count : nil }
}
