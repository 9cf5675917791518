/// Compares the strengths of a receiver's signals with each other.
struct SignalCheck: Sendable {
  static let fewest = 6
  /// Degrees between the lowest and the highest satellite, so that a real sky has different
  /// strengths.
  static let elevationSpan = 30.0
  static let fewestViews = 3
  /// dB-Hz.
  static let commonIncrease = 5.0
  /// dB-Hz a second by which a decrease is forgotten that a later increase may undo.
  static let forgetting = 1.0 / 60
  /// The number of views over which the variance is averaged.
  static let averagedViews = 5
  /// The most signals that are compared.
  static let mostSignals = 64
  /// Seconds after which a suspicion without further views ends.
  static let memory = 60.0

  private struct Level: Sendable {
    let prn: Int
    let signal: Int?
    var strength: Double
  }

  private var levels: [Level] = []
  /// Storage for the levels of the next view.
  private var buffer: [Level] = []
  private var suspicion = Suspicion(.init(count: 3, seconds: 2, recovery: 10))
  private var lastView = 0.0
  /// The number of latest views in a row in which the variance of the strengths was small, and the
  /// moving average of the variance.
  private var equalCount = 0
  private var equalVariance = 0.0
  /// dB-Hz by which all signals became weaker in the last minutes, as under a cover.
  private var decrease = 0.0

  /// The standard deviation in dB-Hz below which strengths count as equal. Few satellites are equal
  /// by chance. The smallest deviation in recordings of real receivers is 1.8.
  private static func mostDeviation(of count: Int) -> Double {
    min(1.2, 0.85 + 0.05 * Double(count - fewest))
  }

  func reasons(at arrival: Double) -> LocationIntegrity.Reasons {
    suspicion.isRaised && arrival - lastView < Self.memory ? .uniformSignals : []
  }

  /// Handles a view of the sky that arrived at a time in seconds.
  mutating func observe(_ view: SatelliteView, at arrival: Double) {
    if arrival - lastView > Self.memory {
      suspicion.reset()
      levels.removeAll(keepingCapacity: true)
      (equalCount, decrease) = (0, 0)
    }
    decrease = max(0, decrease - Self.forgetting * (arrival - lastView))
    lastView = arrival
    var strengths = Spread()
    var increases = Spread()
    var (lowest, highest) = (90.0, -90.0)
    buffer.removeAll(keepingCapacity: true)
    for satellite in view.satellites where satellite.isUsed && buffer.count < Self.mostSignals {
      guard let strength = satellite.signalStrength, strength > 0 else { continue }
      let index = buffer.count
      buffer.append(
        Level(prn: satellite.prn, signal: satellite.signal, strength: strength))
      if let usual = level(of: satellite, near: index) { increases.add(strength - usual) }
      guard let elevation = satellite.elevation else { continue }
      strengths.add(strength)
      (lowest, highest) = (min(lowest, elevation), max(highest, elevation))
    }
    let isEqual = areEqual(strengths, elevationSpan: highest - lowest)
    let isCommon = increases.count >= Self.fewest
    let isRaised =
      isCommon && increases.mean - decrease >= Self.commonIncrease && increases.variance < 1
    suspicion.observe(isEqual || isRaised, at: arrival)
    // The levels of before are kept while all signals are stronger.
    guard !isRaised || suspicion.isRaised else { return }
    swap(&levels, &buffer)
    decrease = isCommon ? max(0, decrease - increases.mean) : decrease
  }

  /// Whether the strengths were equal in the latest views.
  private mutating func areEqual(_ strengths: Spread, elevationSpan: Double) -> Bool {
    let most = Self.mostDeviation(of: strengths.count)
    guard strengths.count >= Self.fewest, elevationSpan >= Self.elevationSpan,
      strengths.variance < 4 * most * most
    else {
      equalCount = 0
      return false
    }
    equalCount = min(equalCount + 1, Self.averagedViews)
    // The first one replaces the average.
    equalVariance += (strengths.variance - equalVariance) / Double(equalCount)
    return equalCount >= Self.fewestViews && equalVariance < most * most
  }

  /// The strength of a signal in the view before. Receivers usually keep their order.
  private func level(of satellite: Satellite, near index: Int) -> Double? {
    func isSame(_ level: Level) -> Bool {
      level.prn == satellite.prn && level.signal == satellite.signal
    }
    if index < levels.count, isSame(levels[index]) { return levels[index].strength }
    return levels.first(where: isSame)?.strength
  }

  /// The mean and the variance of numbers.
  private struct Spread {
    private(set) var count = 0
    private(set) var mean = 0.0
    private var squares = 0.0

    var variance: Double { count > 1 ? squares / Double(count - 1) : 0 }

    /// B. P. Welford's update.
    mutating func add(_ number: Double) {
      count += 1
      let difference = number - mean
      mean += difference / Double(count)
      squares += difference * (number - mean)
    }
  }
}
