import NMEASentences

/// Decides when the location of an epoch is complete, and when an epoch that is not followed by
/// another has ended. Performs no I/O.
///
/// A receiver sends its sentences in cycles. If two consecutive epochs ended with the same sentence,
/// the location of the next one is complete with that sentence. Until then, and if the sentence
/// does not come, an epoch ends when the receiver has been quiet for a third of its cycle, at least
/// 50 ms and at most 500 ms; 250 ms while no cycle is known.
struct CycleStateMachine: Sendable {
  /// A sentence of a cycle: the nth one with its address.
  private struct Place: Hashable {
    let address: String
    let number: Int
  }

  private static let quietDivisor = 3
  private static let quietRange = Duration.milliseconds(50)...Duration.milliseconds(500)
  private static let defaultQuietTime = Duration.milliseconds(250)
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
  private var lastArrival: Duration?

  /// When the epoch ends unless another sentence arrives; nil if no epoch has begun.
  var deadline: Duration? { lastArrival.map { $0 + quietTime } }

  /// Handles a sentence of the current epoch, which it may begin. Returns whether the location is
  /// complete.
  mutating func handle(_ sentence: NMEASentence, at arrival: Duration) -> Bool {
    if lastArrival == nil { begin(at: arrival) }
    lastArrival = arrival
    guard sentence.contributesToLocation else { return false }
    let address = sentence.talker + sentence.type
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
    (counts, last, lastArrival) = ([:], nil, nil)
  }

  private mutating func begin(at arrival: Duration) {
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
