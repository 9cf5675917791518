/// Compares the positions of the receivers of one source.
///
/// The receivers of a source need not be at one place, so two are compared only after they have
/// agreed for some time. Sources of many receivers are those of many places: four are compared, and
/// none if there are more at a time.
struct AgreementCheck: Sendable {
  static let mostReceivers = 4
  /// Seconds of agreement before a disagreement counts.
  static let agreement = 30.0
  /// Metres beyond the accuracies.
  static let floor = 50.0
  /// Seconds between two fixes that are compared.
  static let longestDifference = 2.0
  /// Seconds without a comparison after which two receivers have to agree again.
  static let longestSilence = 10.0
  /// Seconds after which a silent receiver is replaced by a new one.
  static let longestAbsence = 300.0
  /// Seconds of disagreement after which receivers that parted are accepted.
  static let memory = 600.0

  private struct Receiver: Sendable {
    let device: DeviceID
    var coordinate: Coordinate
    var accuracy: Double
    var speed: Double
    var arrival: Double
    /// The time in seconds by the receiver's clock; nil if it is unknown.
    var time: Double?
  }

  private struct Pair: Sendable {
    let first: Int
    let second: Int
    var agreedSince: Double?
    var disagreement = Suspicion(.init(count: 10, seconds: 10, recovery: 10))
    var hasAgreed = false
    var disagreesSince: Double?
    var lastComparison = -Double.infinity

    mutating func compare(_ first: Receiver, _ second: Receiver, at arrival: Double) {
      var difference = abs(first.arrival - second.arrival)
      // One receiver may be late, which its own times show.
      var delay = ClockCheck.longestDelay
      if let time = first.time, let other = second.time {
        (difference, delay) = (abs(time - other), 0)
      }
      guard difference <= AgreementCheck.longestDifference else {
        if !hasAgreed { agreedSince = nil }
        if arrival - lastComparison > AgreementCheck.longestSilence { reset() }
        return
      }
      lastComparison = arrival
      let distance = Vector(from: first.coordinate, to: second.coordinate).length
      let limit =
        AgreementCheck.floor + 3 * (first.accuracy + second.accuracy)
        + (difference + delay + 2) * max(first.speed, second.speed)
      let agrees = distance <= limit
      if hasAgreed {
        disagreement.observe(!agrees, at: arrival)
        disagreesSince = disagreement.isRaised ? disagreesSince ?? arrival : nil
        if let disagreesSince, arrival - disagreesSince > AgreementCheck.memory { reset() }
      } else if agrees {
        let since = agreedSince ?? arrival
        agreedSince = since
        hasAgreed = arrival - since >= AgreementCheck.agreement
      } else {
        agreedSince = nil
      }
    }

    /// Discards everything, so that the receivers have to agree again.
    mutating func reset() { self = Self(first: first, second: second) }
  }

  private var receivers: [Receiver] = []
  private var pairs: [Pair] = []
  private var hasMany = false

  /// Handles a fix that arrived at a time in seconds, and returns the suspicions about its receiver.
  mutating func observe(
    _ location: borrowing Location, of device: DeviceID, at arrival: Double
  ) -> LocationIntegrity.Reasons {
    guard !location.gnss.isUncertain, !hasMany, let index = index(of: device, at: arrival) else {
      return []
    }
    receivers[index].coordinate = location.coordinate
    receivers[index].accuracy = location.horizontalAccuracy ?? MovementCheck.unknownAccuracy
    receivers[index].speed = Vector.speed(location) ?? 0
    receivers[index].arrival = arrival
    let isTimed = location.sourceInformation?.timeSource ?? .receiver == .receiver
    receivers[index].time = isTimed ? location.timestampSeconds : nil
    guard receivers.count > 1 else { return [] }
    var isSuspect = false
    for pair in pairs.indices
    where pairs[pair].first == index || pairs[pair].second == index {
      let (first, second) = (receivers[pairs[pair].first], receivers[pairs[pair].second])
      pairs[pair].compare(first, second, at: arrival)
      isSuspect = isSuspect || pairs[pair].disagreement.isRaised
    }
    return isSuspect ? .disagreement : []
  }

  private mutating func index(of device: DeviceID, at arrival: Double) -> Int? {
    if let index = receivers.firstIndex(where: { $0.device == device }) { return index }
    let new = Receiver(
      device: device, coordinate: .init(checkedLatitude: 0, longitude: 0), accuracy: 0, speed: 0,
      arrival: -.infinity)
    guard receivers.count < Self.mostReceivers else {
      if let absent = receivers.firstIndex(where: { arrival - $0.arrival > Self.longestAbsence }) {
        receivers[absent] = new
        for pair in pairs.indices where pairs[pair].first == absent || pairs[pair].second == absent
        {
          pairs[pair].reset()
        }
        return absent
      }
      hasMany = true
      (receivers, pairs) = ([], [])
      return nil
    }
    let index = receivers.count
    pairs += (0..<index).map { Pair(first: $0, second: index) }
    receivers.append(new)
    return index
  }
}
