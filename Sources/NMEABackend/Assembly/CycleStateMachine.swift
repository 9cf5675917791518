import NMEASentences

/// Decides when the location of an epoch is complete, and when an epoch that is not followed by
/// another has ended. Performs no I/O.
///
/// A receiver sends its sentences in cycles. If two consecutive epochs ended with the same sentence,
/// the location of the next one is complete with that sentence. Until then, and if the sentence
/// does not come, an epoch ends when the line has been quiet for a third of the receiver's cycle, at
/// least 50 ms and at most 500 ms; 250 ms while no cycle is known. On a line that is never quiet, it
/// ends a second after its last sentence.
///
/// If a sentence of the same time, and of a type that the epoch did not have, follows nevertheless,
/// the cycle was split. Then the quiet time becomes longer than that gap.
struct CycleStateMachine: Sendable {
  /// A sentence of a cycle: the nth one with its address.
  private struct Place: Hashable {
    let address: String
    let number: Int
  }

  private static let quietDivisor = 3
  private static let quietRange = Duration.milliseconds(50)...Duration.milliseconds(500)
  static let defaultQuietTime = Duration.milliseconds(250)
  /// How long an epoch lasts at most after its last sentence.
  private static let maximumGap = Duration.seconds(1)
  /// The number of epochs with the same end that determine the end of the next one.
  private static let provingEpochs = 2
  /// The maximum number of different addresses of an epoch that are counted.
  private static let maximumAddresses = 64

  /// The numbers of sentences of the epoch by address.
  private var counts: [String: Int] = [:]
  /// The last sentence so far that contributes to the location.
  private var last: Place?
  /// The end of the last epochs, and their number.
  private var end: (place: Place, epochs: Int)?
  private var quietTime = Self.defaultQuietTime
  /// When the current epoch and the previous one began.
  private var start: Duration?
  private var previousStart: Duration?
  /// When the last sentence of the epoch arrived, and the last byte of the line.
  private var lastArrival: Duration?
  private var lastByte = Duration.zero
  /// When the first sentence of the epoch arrived, also of the rest of a split one.
  private var beginning: Duration?
  /// The time of the epoch, if a sentence had one.
  private var time: Double?
  /// The epoch before, as far as a split of a cycle is recognized by it.
  private var former: Former?
  /// The quiet time is at least this, after a split.
  private var longestGap = Duration.zero

  private struct Former {
    let time: Double?
    let addresses: Set<String>
    let lastArrival: Duration
    /// The values before the current epoch began.
    let start: Duration?
    let previousStart: Duration?
    let quietTime: Duration
  }

  /// When the epoch ends unless more arrives; nil if no epoch has begun.
  var deadline: Duration? {
    lastArrival.map { min(lastByte + max(quietTime, longestGap), $0 + Self.maximumGap) }
  }

  /// Handles bytes of any kind: while a line is busy, the rest of an epoch may wait for its turn.
  mutating func heard(at arrival: Duration) { lastByte = arrival }

  /// Handles a sentence of the current epoch, which it may begin. Returns whether the location is
  /// complete.
  mutating func handle(_ sentence: NMEASentence, at arrival: Duration) -> Bool {
    if lastArrival == nil { begin(at: arrival) }
    (lastArrival, lastByte) = (arrival, arrival)
    guard sentence.contributesToLocation else { return false }
    let address = sentence.talker + sentence.type
    if time == nil, let stated = sentence.epochTime {
      time = stated
      joinSplit(address)
    }
    guard counts[address] != nil || counts.count < Self.maximumAddresses else { return false }
    counts[address, default: 0] += 1
    let place = Place(address: address, number: counts[address, default: 0])
    last = place
    return end.map { $0.place == place && $0.epochs >= Self.provingEpochs } ?? false
  }

  /// Handles the end of the epoch.
  mutating func ended() {
    if let last {
      end = end.map { $0.place == last } == true ? (last, (end?.epochs ?? 0) + 1) : (last, 1)
    }
    if let lastArrival {
      former = Former(
        time: time, addresses: Set(counts.keys), lastArrival: lastArrival, start: start,
        previousStart: previousStart, quietTime: quietTime)
    }
    (counts, last, lastArrival, time) = ([:], nil, nil, nil)
  }

  /// Forgets when epochs began: the last one was cut.
  mutating func forgetStart() {
    (start, previousStart, quietTime) = (nil, nil, Self.defaultQuietTime)
  }

  /// If the current epoch is the rest of the former one, no cycle began with it.
  private mutating func joinSplit(_ address: String) {
    guard let former, let beginning, former.time == time, !former.addresses.contains(address)
    else { return }
    let gap = beginning - former.lastArrival
    guard gap < Self.maximumGap else { return }
    longestGap = max(longestGap, min(gap * 5 / 4, Self.maximumGap))
    (start, previousStart, quietTime) = (former.start, former.previousStart, former.quietTime)
  }

  private mutating func begin(at arrival: Duration) {
    beginning = arrival
    // Epochs that arrive together do not show the receiver's cycle.
    guard arrival != start else { return }
    if let start {
      let cycle = max(arrival - start, previousStart.map { start - $0 } ?? .zero)
      quietTime = min(
        max(cycle / Self.quietDivisor, Self.quietRange.lowerBound), Self.quietRange.upperBound)
    }
    (previousStart, start) = (start, arrival)
  }
}

extension NMEASentence {
  /// Whether the sentence contributes to the location of its epoch.
  fileprivate var contributesToLocation: Bool {
    switch type {
    case "GGA", "GNS", "RMC", "GLL", "VTG", "GSA", "GST", "ZDA": true
    default: false
    }
  }
}
