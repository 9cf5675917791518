import FoundationEssentials
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct ReceiverIntegrityTests {
  /// The reasons of two receivers during a drive in which the second one departs.
  private func reasons(
    apart start: Double = 0, later: Double, count: Int = 2
  ) -> [LocationIntegrity.Reasons] {
    var integrity = ReceiverIntegrity()
    var reasons = Array(repeating: LocationIntegrity.Reasons(), count: count)
    for second in 0..<300 {
      for index in 0..<count {
        // Led away with velocities that agree with the false path.
        let displacement = index == 0 ? 0 : start + later * max(0, Double(second) - 100) / 100
        let location = DrivingReceiver(
          device: "receiver \(index)", displacement: displacement
        ).location(Double(second))
        let result = integrity.assess(location, at: .seconds(second))
        reasons[index].formUnion(result?.reasons ?? [])
      }
    }
    return reasons.map { $0.subtracting(.drift) }
  }

  @Test func receiversThatDepartFromEachOtherAreSuspect() {
    #expect(reasons(later: 300) == [.disagreement, .disagreement])
  }

  @Test func receiversThatStayTogetherAreNotSuspect() {
    #expect(reasons(later: 30) == [[], []])
  }

  @Test func receiversAtDifferentPlacesAreNotSuspect() {
    #expect(reasons(apart: 5_000, later: 300) == [[], []])
  }

  @Test func manyReceiversAreNotCompared() {
    #expect(reasons(later: 300, count: 5) == Array(repeating: [], count: 5))
  }

  /// The seconds in which a receiver at rest is suspect, while another one reports.
  private func disagreement(
    until end: Int, _ other: (_ second: Int) -> (location: Location, delay: Double)?
  ) -> [Int] {
    var integrity = ReceiverIntegrity()
    var suspect: [Int] = []
    var waiting: [(location: Location, arrival: Double)] = []
    let receiver = DrivingReceiver(device: "first")
    for second in 0..<end {
      let result = integrity.assess(receiver.location(Double(second)), at: .seconds(second))
      if result?.reasons.contains(.disagreement) ?? false { suspect.append(second) }
      if let (location, delay) = other(second) {
        waiting.append((location, Double(second) + delay))
      }
      while let (location, arrival) = waiting.first, arrival < Double(second + 1) {
        _ = integrity.assess(location, at: .seconds(arrival))
        waiting.removeFirst()
      }
    }
    return suspect
  }

  private func second(_ time: Int, displacement: Double = 0, _ name: String = "second") -> Location
  {
    DrivingReceiver(device: name, displacement: displacement).location(Double(time))
  }

  @Test func aDisagreementEndsWhenTheOtherReceiverIsSilent() {
    let suspect = disagreement(until: 300) { time in
      time < 100 ? (second(time, displacement: time < 60 ? 0 : 1_000), 0.5) : nil
    }
    #expect(suspect.first.map { (70...75).contains($0) } == true)
    #expect(suspect.last.map { (100...112).contains($0) } == true)
  }

  @Test func receiversThatPartedAreAccepted() {
    let suspect = disagreement(until: 1_500) { time in
      (second(time, displacement: min(2_000, max(0, 3 * Double(time - 60)))), 0.5)
    }
    #expect(suspect.first.map { (70...120).contains($0) } == true)
    #expect(suspect.last.map { (670...730).contains($0) } == true)
  }

  /// A delay that begins after the receivers agreed.
  @Test(arguments: [3.0, 6, 12])
  func aDelayedReceiverIsNotADisagreement(_ delay: Double) {
    let suspect = disagreement(until: 600) { time in
      (second(time), time < 60 ? 0.5 : delay + 0.5)
    }
    #expect(suspect == [])
  }

  @Test func estimatedPositionsAreNotCompared() {
    let suspect = disagreement(until: 200) { time in
      let isTunnel = time > 100
      let receiver = DrivingReceiver(
        device: "second", displacement: isTunnel ? 1_000 : 0,
        status: isTunnel ? .deadReckoning : .autonomous)
      return (receiver.location(Double(time)), 0.5)
    }
    #expect(suspect == [])
  }

  @Test func aNewNameReplacesASilentOne() {
    let suspect = disagreement(until: 2_400) { time in
      let name = "name \(min(time / 400, 4))"
      return (second(time, displacement: time < 2_000 ? 0 : 1_000, name), 0.5)
    }
    #expect(suspect.first.map { (2_010...2_015).contains($0) } == true)
  }

  @Test func eachReceiverIsAssessedByItself() {
    var integrity = ReceiverIntegrity()
    for second in 0..<300 {
      for (device, displacement) in [("a", 0.0), ("b", 100_000)] {
        let location = DrivingReceiver(device: device, displacement: displacement)
          .location(Double(second))
        #expect(integrity.assess(location, at: .seconds(second)) == .plausible)
      }
    }
  }

  @Test func theNumberOfReceiversIsBounded() {
    var integrity = ReceiverIntegrity()
    for index in 0..<2_000 {
      let location = DrivingReceiver(device: "receiver \(index)").location(Double(index))
      #expect(integrity.assess(location, at: .seconds(index)) == .plausible)
    }
    #expect(integrity.receiverCount <= ReceiverIntegrity.rememberedReceivers)
  }
}
