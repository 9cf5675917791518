import AsyncLocation

/// Collects the satellites of GSV sentences. Pure.
///
/// A receiver sends a group of sentences for each constellation and signal. A group has at most 9
/// sentences, and there are at most 64 groups.
struct NMEASky: Hashable, Sendable {
  private struct Group: Hashable {
    let talker: String
    let signal: Int?
    let total: Int
    var received = 0
    var satellites: [Element] = []
    /// Whether a sentence arrived in the current epoch.
    var isCurrent = true

    var isComplete: Bool { received == total }
  }

  private struct Element: Hashable {
    let number: Int
    let elevation: Double?
    let azimuth: Double?
    let strength: Double?
  }

  private static let maximumGroups = 64
  private var groups: [Group] = []

  /// Whether there are groups, and all of them are complete.
  var isComplete: Bool { !groups.isEmpty && groups.allSatisfy(\.isComplete) }

  /// Adds a sentence. A sentence out of order removes its group.
  mutating func handle(_ sentence: NMEASentence) {
    guard let total = sentence.integer(1), let number = sentence.integer(2),
      (1...9).contains(total), (1...total).contains(number)
    else { return }
    let rest = sentence.fields.count - 3
    guard rest >= 0 else { return }
    // NMEA 4.11 adds the number of the signal after the satellites, which have four fields each.
    let signal =
      rest % 4 == 1 ? sentence[sentence.fields.count].flatMap { Int($0, radix: 16) } : nil
    let known = groups.firstIndex { $0.talker == sentence.talker && $0.signal == signal }
    let index: Int
    if number == 1 {
      let group = Group(talker: sentence.talker, signal: signal, total: total)
      if let known {
        groups[known] = group
        index = known
      } else {
        guard groups.count < Self.maximumGroups else { return }
        groups.append(group)
        index = groups.count - 1
      }
    } else {
      guard let known else { return }
      guard groups[known].received == number - 1, groups[known].total == total else {
        groups.remove(at: known)
        return
      }
      index = known
    }
    groups[index].received = number
    groups[index].isCurrent = true
    for first in stride(from: 4, through: 3 + rest / 4 * 4, by: 4) {
      guard let satellite = sentence.integer(first), (1...999).contains(satellite) else { continue }
      groups[index].satellites.append(
        Element(
          number: satellite, elevation: sentence.number(first + 1),
          azimuth: sentence.number(first + 2), strength: sentence.number(first + 3)))
    }
  }

  /// Ends an epoch. Removes the incomplete groups to which it added nothing, if it added to others:
  /// the rest of a group may come with a later epoch, but a group that is no longer sent must not
  /// hold back the others.
  mutating func endEpoch() {
    guard groups.contains(where: \.isCurrent) else { return }
    groups.removeAll { !$0.isComplete && !$0.isCurrent }
    for index in groups.indices { groups[index].isCurrent = false }
  }

  /// Returns the satellites, each once, and removes all groups.
  ///
  /// - Parameter used: The satellites that GSA sentences list.
  mutating func takeSatellites(used: Set<NMEASatelliteID>) -> [Satellite] {
    defer { groups = [] }
    var seen: Set<Int> = []
    var satellites: [Satellite] = []
    for group in groups {
      for element in group.satellites {
        let id = NMEASatelliteID(element.number, talker: group.talker)
        guard seen.insert(id.prn).inserted else { continue }
        let satellite = try? Satellite(
          prn: id.prn, constellation: id.constellation, vehicle: id.vehicle, signal: group.signal,
          elevation: element.elevation.within(-90...90), azimuth: element.azimuth.within(0...360),
          signalStrength: element.strength.within(0...254), isUsed: used.contains(id))
        if let satellite { satellites.append(satellite) }
      }
    }
    return satellites
  }
}

/// A satellite's number and constellation. The numbers are gpsd's, which are unique across
/// constellations.
struct NMEASatelliteID: Hashable, Sendable {
  let prn: Int
  let constellation: Satellite.Constellation?
  let vehicle: Int?

  /// - Parameters:
  ///   - number: The number in the sentence.
  ///   - talker: The talker, which identifies the constellation; `GN` does not.
  ///   - system: The constellation's number in a GSA sentence of NMEA 4.11.
  init(_ number: Int, talker: String, system: Int? = nil) {
    switch (system, talker) {
    case (3, _) where number <= 99, (nil, "GA") where number <= 99:
      (prn, constellation, vehicle) = (number + 300, .galileo, number)
    case (4, _) where number <= 99, (nil, "GB") where number <= 99, (nil, "BD") where number <= 99:
      (prn, constellation, vehicle) = (number + 400, .beidou, number)
    case (5, _) where number <= 32, (nil, "GQ") where number <= 32:
      (prn, constellation, vehicle) = (number + 192, .qzss, number)
    case (6, _) where number <= 99, (nil, "GI") where number <= 99:
      (prn, constellation, vehicle) = (number + 500, .navic, number)
    case (2, _) where number <= 32:
      (prn, constellation, vehicle) = (number + 64, .glonass, number)
    default:
      prn = number
      switch number {
      case 1...32: (constellation, vehicle) = (.gps, number)
      case 33...64: (constellation, vehicle) = (.sbas, number + 87)
      case 65...99: (constellation, vehicle) = (.glonass, number - 64)
      case 120...158: (constellation, vehicle) = (.sbas, number)
      case 193...202: (constellation, vehicle) = (.qzss, number - 192)
      case 301...336: (constellation, vehicle) = (.galileo, number - 300)
      case 401...463: (constellation, vehicle) = (.beidou, number - 400)
      default: (constellation, vehicle) = (nil, nil)
      }
    }
  }
}
