/// The result of the checks that a manager makes of a location, to detect receivers that are jammed,
/// deceived by false signals (spoofed), or broken.
///
/// The checks compare what a receiver reports with itself, with the manager's monotonic clock, with
/// its sky and with other receivers of the same source. They detect contradictions only: a
/// transmitter whose position, velocity, time and signal strengths agree with each other is not
/// detected, and a plausible location is not a proven one. Each check needs certain values; a
/// receiver that does not report them has fewer checks.
///
/// A suspicion needs evidence over several seconds, except ``Reasons/jump``, and ends after evidence
/// of the contrary.
public struct LocationIntegrity: Sendable, Hashable, BitwiseCopyable {
  /// Why a location is suspect; empty for a plausible location.
  public let reasons: Reasons

  /// True when at least one check found a contradiction.
  public var isSuspect: Bool { !reasons.isEmpty }

  /// No check found a contradiction.
  public static var plausible: Self { Self(reasons: []) }

  /// Creates the result with its reasons.
  public init(reasons: Reasons) { self.reasons = reasons }

  /// The contradictions that were found.
  ///
  /// Encoded as a JSON array of names. Unknown names are ignored.
  public struct Reasons: NamedOptions, Sendable, Hashable, BitwiseCopyable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The position moved by a distance that the reported speeds do not explain.
    ///
    /// A receiver measures its speed by the Doppler shift, independently of its position. The
    /// criterion is a step of 50 m beyond the movement by the reported velocities and 2.5 times the
    /// accuracies of both fixes; in the 20 seconds after a gap, a tunnel or another loss, 300 m.
    /// Across the loss itself, it is a step of 300 m, and three times the accuracies, beyond what the
    /// reported speeds can reach with an acceleration of 3 m/s²: at least 40 m/s, and without speeds
    /// 515 m/s (1,000 knots), beyond which receivers of civil use must not report. Reported at once.
    /// It ends when the position returns, or after five minutes; after a loss, after one minute.
    ///
    /// A single occurrence is usually a reflected signal. Do not act on the position until it ends.
    public static var jump: Self { Self(rawValue: 1 << 0) }
    /// The position departs slowly from the path that the reported velocities describe.
    ///
    /// The criterion is a departure, over some minutes, of 40 m beyond the accuracies and beyond
    /// what the resolution of the velocity explains, for five seconds. This is how a deceived
    /// receiver is led away without a jump. It ends when the position returns, or after ten minutes.
    ///
    /// Compare the position with another source, such as the odometer or a map.
    public static var drift: Self { Self(rawValue: 1 << 1) }
    /// The receiver's clock contradicts the manager's monotonic clock.
    ///
    /// The criterion is a time that jumps ahead by more than 2 s, gains more than that, does not
    /// advance for 10 s and three times as long as usual, stays behind its arrival by more than 30 s
    /// longer than before, or is 1,024 weeks before the host's date: the week number of old receivers
    /// has 10 bits. No oscillator drifts so far, and a late report arrives later but is not ahead. In
    /// the first minute, up to 30 s ahead are normal, because the first report may be late; in the
    /// first seconds after a gap, up to 20 s are, because a receiver that was switched off may have
    /// forgotten the leap seconds. Not checked while the host sets the time, and for replays
    /// (``SourceInformation/isSimulated``).
    ///
    /// The monotonic clock must run while the host is suspended. That of a virtual machine that is
    /// paused stands still, so afterwards the receiver is ahead: its locations are suspect for ten
    /// minutes.
    ///
    /// Do not set the host's clock from the receiver. A time that is late by a multiple of 1,024
    /// weeks needs newer firmware.
    public static var clock: Self { Self(rawValue: 1 << 2) }
    /// The receiver's clock went back and runs on from there, as when recorded signals are replayed.
    ///
    /// The criterion is three fixes in a row whose times are before an earlier one, by more than
    /// 2 s, and advance at least at half the pace of their arrival. Reports that are sent again at
    /// once are normal, and so is a correction of up to 20 s in the first quarter of an hour: until
    /// then a receiver may not know the leap seconds.
    ///
    /// Do not trust position or time until the suspicion ends.
    public static var replay: Self { Self(rawValue: 1 << 3) }
    /// The signals of all satellites are equally strong, or became stronger by the same amount.
    ///
    /// Signals of real satellites differ by several dB, because they arrive from different
    /// elevations. Those of a single transmitter do not. The criterion is a standard deviation below
    /// 0.85 dB-Hz over six used satellites whose elevations span 30° or more, rising to 1.2 dB-Hz for
    /// thirteen, on average in five views in a row; or a mean increase by 5 dB or more with a standard
    /// deviation below 1 dB, in three views in a row, unless it undoes a decrease of the last minutes,
    /// as of an antenna that was covered. Checked only while something subscribes to
    /// ``LocationManager/satellites``.
    ///
    /// A transmitter near the antenna may have taken over the receiver; compare with another source.
    public static var uniformSignals: Self { Self(rawValue: 1 << 4) }
    /// Two receivers of the same source that reported the same place now report different ones.
    ///
    /// The criterion is a distance of more than 50 m, three times both accuracies, and the movement
    /// within two seconds and between both fixes, for ten seconds, after the receivers agreed for
    /// 30 s. It does not show which one is wrong, so both are suspect.
    ///
    /// Compare both with a third source.
    public static var disagreement: Self { Self(rawValue: 1 << 5) }
    /// The receiver reports strong interference.
    ///
    /// The criterion is an indicator (``GNSSFix/jamming``) of 80 more than usual, or of at least 200
    /// and 40 more than usual, in three fixes in a row: the scale depends on the receiver and its
    /// surroundings, and u-blox advises to compare with the value without interference. Usual is the
    /// mean over half an hour, so that a lasting value becomes the usual one.
    ///
    /// Look for a transmitter near the antenna, and move one of them.
    public static var jamming: Self { Self(rawValue: 1 << 6) }
    /// The receiver reports that its antenna is disconnected or has a short circuit, in three fixes
    /// in a row: ``GNSSFix/antennaStatus`` is 3, or 2 after it was 1. A passive antenna is reported as
    /// disconnected from the start.
    ///
    /// Check the antenna and its cable.
    public static var antenna: Self { Self(rawValue: 1 << 7) }

    package static var names: [(name: String, option: Self)] {
      [
        ("jump", .jump), ("drift", .drift), ("clock", .clock), ("replay", .replay),
        ("uniformSignals", .uniformSignals), ("disagreement", .disagreement),
        ("jamming", .jamming), ("antenna", .antenna),
      ]
    }
  }
}

extension Location {
  /// True when the location was assessed and its position or its time is contradicted, not only the
  /// conditions of its reception.
  package var isContradicted: Bool {
    guard let reasons = integrity?.reasons else { return false }
    return !reasons.isDisjoint(with: [.jump, .drift, .clock, .replay])
  }
}

extension LocationIntegrity: CustomStringConvertible, CustomDebugStringConvertible {
  /// `plausible`, or `suspect` with the names of the reasons.
  public var description: String {
    isSuspect ? "suspect \(reasons)" : "plausible"
  }

  public var debugDescription: String { description }
}

/// Encoded as the reasons: an empty array is a plausible location. Names of a newer version are
/// ignored; an array of nothing else is refused, because its location is not plausible. A
/// ``Location`` with such an array is decoded without an assessment.
extension LocationIntegrity: Codable {
  public init(from decoder: any Decoder) throws {
    guard let known = Self(names: try [String](from: decoder)) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "No reason has a known name; decode it with a newer version."))
    }
    self = known
  }

  /// Nil when there are names but no known one.
  package init?(names: [String]) {
    var known: Reasons = []
    for (name, option) in Reasons.names where names.contains(name) { known.insert(option) }
    guard names.isEmpty || !known.isEmpty else { return nil }
    self.init(reasons: known)
  }

  public func encode(to encoder: any Encoder) throws { try reasons.encode(to: encoder) }
}
