import FoundationEssentials
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct HardwareCheckTests {
  /// The seconds in which a receiver is suspect.
  private func suspect(
    during seconds: Range<Int>, _ change: (inout DrivingReceiver, Int) -> Void
  ) -> [Int] {
    var machine = IntegrityStateMachine()
    var receiver = DrivingReceiver()
    return seconds.filter { second in
      change(&receiver, second)
      let result = machine.assess(receiver.location(Double(second)), at: .seconds(second))
      return result?.isSuspect ?? false
    }
  }

  // MARK: The antenna

  @Test func aPassiveAntennaIsNotSuspect() {
    #expect(suspect(during: 0..<600) { receiver, _ in receiver.antennaStatus = 2 } == [])
  }

  @Test func anUnknownAntennaThatIsFoundOpenIsNotSuspect() {
    let found = suspect(during: 0..<600) { $0.antennaStatus = $1 < 60 ? 0 : 2 }
    #expect(found == [])
  }

  @Test func anAntennaThatIsDisconnectedIsSuspect() {
    let found = suspect(during: 0..<600) { $0.antennaStatus = (60..<120).contains($1) ? 2 : 1 }
    #expect(found.first == 62)
    #expect(found.last.map { (120...130).contains($0) } == true)
  }

  @Test func aShortCircuitIsSuspectFromTheStart() {
    let found = suspect(during: 0..<60) { receiver, _ in receiver.antennaStatus = 3 }
    #expect(found == Array(2..<60))
  }

  // MARK: Jamming

  @Test(arguments: [90, 230])
  func anIndicatorThatIsHighFromTheStartIsNotSuspect(value: Int) {
    #expect(suspect(during: 0..<3_600) { receiver, _ in receiver.jamming = value } == [])
    // The first value is often the one of a receiver without signals.
    #expect(suspect(during: 0..<3_600) { $0.jamming = $1 == 0 ? 0 : value } == [])
  }

  @Test(arguments: [(120, 900), (255, 4_000)])
  func aLastingIndicatorBecomesTheUsualOne(value: Int, limit: Int) {
    let found = suspect(during: 0..<14_400) { $0.jamming = $1 < 3_600 ? 20 : value }
    #expect(found.first == 3_602)
    #expect(found.last.map { (3_660...3_600 + limit).contains($0) } == true)
  }

  @Test func aTransmitterIsSuspectAgain() {
    let found = suspect(during: 0..<7_200) { receiver, second in
      receiver.jamming = second > 3_600 && second % 600 < 60 ? 230 : 20
    }
    #expect(found.contains(4_230))
    #expect(found.contains(6_630))
    #expect(!found.contains(4_500))
  }
}
