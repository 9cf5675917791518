package import AsyncLocation

/// Combines the sentences of one receiver into epochs. Pure.
package struct NMEAEpochAssembler: Sendable {
  /// The time of an epoch.
  package enum Time: Hashable, Sendable {
    /// No sentence has a time.
    case unknown
    /// Seconds after midnight of a day that is not known.
    case timeOfDay(Double)
    /// Seconds since 1970.
    case date(Double)
  }

  /// The values of an epoch that has ended.
  package struct Epoch: Sendable {
    /// The line of the first sentence.
    package let line: Int
    /// The satellites, if their sentences are complete.
    package fileprivate(set) var satellites: [Satellite]?
    /// Nil if the epoch has no valid position.
    package fileprivate(set) var fix: NMEAFix?
    package let heading: Double?
    /// Whether a sentence had a position, or stated that there is none.
    package let reportsPosition: Bool
    package fileprivate(set) var time = Time.unknown
    /// Whether no earlier epoch had a date.
    package fileprivate(set) var isFirstDated = false
  }

  /// The mode of the last GSA is no longer used after this many epochs without a GSA.
  private static let maximumEpochsWithoutMode = 60

  private var clock: NMEAClock
  private var epoch: NMEAEpoch?
  private var sky = NMEASky()
  /// The number of satellites in the last complete view.
  private var visibleCount: Int?
  /// The century of the last ZDA.
  private var century: Int?
  /// The mode of the last GSA, and the number of epochs without a GSA since.
  private var mode: (value: Int, age: Int)?

  /// - Parameter today: Days since 1970, approximately; see ``NMEAClock/init(today:)``.
  package init(today: Int) { clock = NMEAClock(today: today) }

  /// Whether an epoch has begun.
  package var isOpen: Bool { epoch != nil }

  /// Adds a sentence whose fields are valid.
  ///
  /// - Parameter line: The number of the sentence's line.
  /// - Returns: The previous epoch, if the sentence begins the next one.
  package mutating func handle(_ sentence: NMEASentence, line: Int) -> Epoch? {
    if sentence.type == "GSV" {
      if epoch == nil { epoch = NMEAEpoch(line: line) }
      sky.handle(sentence)
      return nil
    }
    let ended = epoch.map { $0.ends(before: sentence) } == true ? close() : nil
    var current = epoch ?? NMEAEpoch(line: line)
    current.handle(sentence)
    if let day = statedDay(sentence) { current.day = day }
    epoch = current
    return ended
  }

  /// Ends the epoch; nil if none has begun.
  package mutating func close() -> Epoch? {
    guard let epoch else { return nil }
    self.epoch = nil
    var result = Epoch(
      line: epoch.line, heading: epoch.heading, reportsPosition: epoch.reportsPosition)
    sky.endEpoch()
    if sky.isComplete {
      let satellites = sky.takeSatellites(used: epoch.used)
      visibleCount = satellites.count
      result.satellites = satellites
    }
    if let value = epoch.mode {
      mode = (value, 0)
    } else if let age = mode?.age {
      mode = age < Self.maximumEpochsWithoutMode ? (mode?.value ?? 1, age + 1) : nil
    }
    let wasDated = clock.isDated
    (result.fix, result.time) = (fix(of: epoch), time(of: epoch))
    if case .date = result.time { result.isFirstDated = !wasDated }
    return result
  }

  /// The values of the current epoch so far; nil without a valid position.
  package mutating func fixSoFar() -> (fix: NMEAFix, time: Time)? {
    guard let epoch, let fix = fix(of: epoch) else { return nil }
    return (fix, time(of: epoch))
  }

  private func fix(of epoch: NMEAEpoch) -> NMEAFix? {
    var fix = epoch.located(lastMode: mode?.value)
    fix?.satellitesVisible = visibleCount
    return fix
  }

  private mutating func time(of epoch: NMEAEpoch) -> Time {
    guard let timeOfDay = epoch.timeOfDay else { return .unknown }
    return clock.date(timeOfDay, stated: epoch.day).map(Time.date) ?? .timeOfDay(timeOfDay)
  }

  /// The date of a sentence, if it can be trusted.
  private mutating func statedDay(_ sentence: NMEASentence) -> Int? {
    switch sentence.type {
    case "ZDA":
      guard let day = sentence.integer(2), let month = sentence.integer(3),
        let year = sentence.integer(4),
        let trusted = clock.trustedDay(CivilTime.day(year: year, month: month, day: day))
      else { return nil }
      century = year / 100 * 100
      return trusted
    case "RMC": return clock.trustedDay(NMEAClock.day(sentence[9], century: century))
    default: return nil
    }
  }
}
