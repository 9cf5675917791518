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
