import FoundationEssentials
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct IntegrityStateMachineTests {
  typealias Reasons = LocationIntegrity.Reasons

  /// A drive of twenty minutes with a change after ten minutes.
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The reasons during the ten minutes.
    let reasons: Reasons
    /// The most seconds until the first suspect location.
    let delay: Double
    /// Changes the receiver.
    ///
    /// - Parameter second: Seconds after the start of the change.
    let change: @Sendable (_ receiver: inout DrivingReceiver, _ second: Double) -> Void
    var receiver = DrivingReceiver()

    init(
      _ name: String, _ reasons: Reasons = [], within delay: Double = 0,
      _ receiver: DrivingReceiver = DrivingReceiver(),
      _ change: @escaping @Sendable (inout DrivingReceiver, Double) -> Void
    ) {
      (testDescription, self.reasons, self.delay) = (name, reasons, delay)
      (self.receiver, self.change) = (receiver, change)
    }
  }

  static let scenarios = [
    Scenario("nothing changes") { _, _ in },
    Scenario("a jump of 120 m", .jump) { receiver, _ in receiver.displacement = 120 },
    Scenario("an error of 45 m") { receiver, _ in receiver.displacement = 45 },
    Scenario(
      "slow movement without a course", [], DrivingReceiver(speed: 1.1, reportsCourse: false)
    ) { _, _ in
    },
    Scenario(
      "a drag of 2 m/s during slow movement without a course", .drift, within: 120,
      DrivingReceiver(speed: 0.3, reportsCourse: false)
    ) { receiver, second in receiver.displacement = min(2 * second, 300) },
    Scenario("a flight at 11,300 m", [], DrivingReceiver(speed: 250.3, height: 11_300)) { _, _ in },
    Scenario("truncated speeds", [], DrivingReceiver(speed: 15.99, reportedSpeed: 15)) { _, _ in },
    Scenario(
      "a drag across the way of a receiver with whole metres per second", .drift, within: 300,
      DrivingReceiver(speed: 15.99, reportedSpeed: 15)
    ) { receiver, second in receiver.displacement = min(2 * second, 400) },
    Scenario("an absurd speed before a drag", .drift, within: 120) { receiver, second in
      receiver.reportedSpeed = second == 0 ? 1e308 : nil
      receiver.displacement = min(max(0, 2 * (second - 60)), 300)
    },
    Scenario("a drag of 1 m/s", .drift, within: 120) { receiver, second in
      receiver.displacement = min(second, 300)
    },
    Scenario("a drag of 10 m/s", .drift, within: 14) { receiver, second in
      receiver.displacement = min(10 * second, 300)
    },
    Scenario(
      "a drag of a receiver that reports no speed", [], DrivingReceiver(reportsSpeed: false)
    ) { receiver, second in receiver.displacement = min(10 * second, 300) },
    Scenario(
      "a jump of 10 km of a receiver that reports no speed", .jump,
      DrivingReceiver(reportsSpeed: false)
    ) { receiver, _ in receiver.displacement = 10_000 },
    Scenario("a jump of 200 m while positions are estimated") { receiver, _ in
      receiver.displacement = 200
      receiver.status = .deadReckoning
    },
    Scenario("a clock that jumps 3 s ahead", .clock, within: 3) { receiver, _ in
      receiver.clockError = 3
    },
    Scenario("a clock that gains 5 %", .clock, within: 50) { receiver, second in
      receiver.clockError = second / 20
    },
    Scenario("a clock that gains 100 ppm") { receiver, second in
      receiver.clockError = second * 1e-4
    },
    Scenario("a clock that stands still", .clock, within: 12) { receiver, second in
      receiver.clockError = -second
    },
    Scenario("a clock that is 40 s behind", .replay, within: 3) { receiver, _ in
      receiver.clockError = -40
    },
    Scenario("a clock that learns 18 leap seconds") { receiver, _ in receiver.clockError = -18 },
    Scenario("a leap second") { receiver, _ in receiver.clockError = -1 },
    Scenario(
      "a host's clock that jumps", [], DrivingReceiver(timeSource: .host)
    ) { receiver, _ in receiver.clockError = 3_600 },
    Scenario("strong jamming", .jamming, within: 3, DrivingReceiver(jamming: 20)) { receiver, _ in
      receiver.jamming = 230
    },
    Scenario("unusual jamming", .jamming, within: 3, DrivingReceiver(jamming: 20)) { receiver, _ in
      receiver.jamming = 120
    },
    Scenario("a little jamming", [], DrivingReceiver(jamming: 20)) { receiver, _ in
      receiver.jamming = 90
    },
    Scenario("an open antenna", .antenna, within: 3, DrivingReceiver(antennaStatus: 1)) {
      receiver, _ in receiver.antennaStatus = 2
    },
    Scenario("a short circuit", .antenna, within: 3, DrivingReceiver(antennaStatus: 1)) {
      receiver, _ in receiver.antennaStatus = 3
    },
    Scenario("an unknown antenna", [], DrivingReceiver(antennaStatus: 1)) { receiver, _ in
      receiver.antennaStatus = 0
    },
  ]

  @Test(arguments: scenarios)
  func findsContradictions(_ scenario: Scenario) {
    var machine = IntegrityStateMachine()
    var receiver = scenario.receiver
    var (reasons, delay): (Reasons, Double?) = ([], nil)
    for second in 0..<1_200 {
      let since = Double(second - 600)
      if since >= 0 { scenario.change(&receiver, since) }
      let result = machine.assess(receiver.location(Double(second)), at: .seconds(second))
      if since < 0 { #expect(result == .plausible, "at \(second) s") }
      if result?.isSuspect ?? false { delay = delay ?? since }
      reasons.formUnion(result?.reasons ?? [])
    }
    #expect(reasons == scenario.reasons)
    if let delay { #expect(delay <= scenario.delay) }
  }

  @Test func anOutlierIsSuspectUntilThePositionReturns() {
    var machine = IntegrityStateMachine()
    var suspect: [Int] = []
    for second in 0..<200 {
      let displacement = second == 100 ? 500.0 : 0
      let location = DrivingReceiver(displacement: displacement).location(Double(second))
      if machine.assess(location, at: .seconds(second))?.isSuspect ?? false {
        suspect.append(second)
      }
    }
    #expect(suspect.first == 100)
    #expect(suspect.last.map { $0 <= 106 } == true)
  }

  @Test func aDisplacedPositionIsAcceptedAfterSomeTime() {
    var machine = IntegrityStateMachine()
    var suspect: [Int] = []
    for second in 0..<900 {
      let location = DrivingReceiver(displacement: second < 100 ? 0 : 500).location(Double(second))
      if machine.assess(location, at: .seconds(second))?.isSuspect ?? false {
        suspect.append(second)
      }
    }
    #expect(suspect.first == 100)
    #expect(suspect.last.map { (395...405).contains($0) } == true)
  }

  /// All fixes of a stall arrive at once, and the first ones of a connection may be a backlog.
  @Test(arguments: [0, 300])
  func delayedReportsAreNotSuspect(stallAt start: Int) {
    var machine = IntegrityStateMachine()
    for second in 0..<600 {
      let isStalled = (start..<start + 90).contains(second)
      let arrival = isStalled ? start + 90 : second
      let result = machine.assess(
        DrivingReceiver().location(Double(second)), at: .seconds(arrival))
      #expect(result == .plausible, "at \(second) s")
    }
  }

  /// A host's times are those of arrival, so all fixes of a stall have the same one.
  @Test(arguments: [(60.3, 3), (30.3, 13), (30.3, 20)])
  func aStallOfAHostsTimesIsNotSuspect(speed: Double, seconds: Int) {
    var machine = IntegrityStateMachine()
    let receiver = DrivingReceiver(speed: speed, timeSource: .host)
    for second in 0..<600 {
      let isStalled = (300..<300 + seconds).contains(second)
      let arrival = isStalled ? 300 + seconds : second
      let result = machine.assess(receiver.location(Double(second)), at: .seconds(arrival))
      #expect(result == .plausible, "at \(second) s")
    }
  }

  @Test func aJumpWithAHostsTimesIsSuspect() {
    var machine = IntegrityStateMachine()
    var receiver = DrivingReceiver(timeSource: .host)
    for second in 0..<120 {
      receiver.displacement = second < 100 ? 0 : 300
      let result = machine.assess(receiver.location(Double(second)), at: .seconds(second))
      #expect(result?.reasons == (second < 100 ? [] : .jump), "at \(second) s")
    }
  }

  @Test(arguments: [0.5, 0.7, 1.5, 20])
  func aReplayHasItsOwnPace(_ rate: Double) {
    var machine = IntegrityStateMachine()
    let receiver = DrivingReceiver(isSimulated: true)
    for second in 0..<600 {
      let result = machine.assess(
        receiver.location(Double(second)), at: .seconds(Double(second) / rate))
      #expect(result == .plausible)
    }
  }

  /// A connection that is slower than the receiver.
  @Test func aPersistentDelayIsSuspect() {
    var machine = IntegrityStateMachine()
    var results: [LocationIntegrity?] = []
    for second in 0..<900 {
      let arrival = Double(second) + max(0, Double(second - 300)) * 0.1
      results.append(
        machine.assess(DrivingReceiver().location(Double(second)), at: .seconds(arrival)))
    }
    #expect(results[..<600].allSatisfy { $0 == .plausible })
    #expect(results[700]?.reasons == .clock)
  }

  @Test(arguments: [1, 2])
  func aDateThatIsWrongBy1024WeeksIsSuspect(times: Int) {
    let offset = DrivingReceiver.start.timeIntervalSinceReferenceDate
    let error = Double(times) * 1_024 * 7 * 86_400
    var machine = IntegrityStateMachine(hostOffset: offset + error)
    let results = (0..<5).map {
      machine.assess(DrivingReceiver().location(Double($0)), at: .seconds($0))?.reasons
    }
    #expect(results == [[], [], [], .clock, .clock])
  }

  /// A host that does not know the date, and a recording of another day.
  @Test(arguments: [-3e8, -1e5, 0, 1e5, 3e8])
  func anotherDateThanTheHostsIsNotSuspect(error: Double) {
    let offset = DrivingReceiver.start.timeIntervalSinceReferenceDate
    var machine = IntegrityStateMachine(hostOffset: offset + error)
    for second in 0..<20 {
      let result = machine.assess(
        DrivingReceiver().location(Double(second)), at: .seconds(second))
      #expect(result == .plausible)
    }
  }

  @Test func onlyFixesOfReceiversAreAssessed() {
    var machine = IntegrityStateMachine()
    for second in 0..<60 {
      let location = DrivingReceiver(displacement: second < 30 ? 0 : 5_000, hasGNSS: false)
        .location(Double(second))
      #expect(machine.assess(location, at: .seconds(second)) == nil)
    }
  }

  /// Near the poles and at the antimeridian.
  @Test(arguments: [(0.0, 179.9995), (89.999, 0), (-89.999, 0), (90, 0), (-90, 0)])
  func edgesOfTheCoordinatesAreNotSuspect(latitude: Double, longitude: Double) throws {
    var machine = IntegrityStateMachine()
    for second in 0..<300 {
      // Eastwards at about 10 m/s at the equator.
      let east = longitude + 9e-5 * Double(second) * (latitude == 0 ? 1 : 0)
      let location = try Location(
        latitude: latitude, longitude: east > 180 ? east - 360 : east,
        timestamp: DrivingReceiver.start + Double(second), horizontalAccuracy: 5,
        speed: latitude == 0 ? 10.02 : 0, course: 90, gnss: GNSSFix(mode: .threeDimensional))
      #expect(machine.assess(location, at: .seconds(second)) == .plausible)
    }
  }

  // MARK: The sky

  struct Sky: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let isSuspect: Bool
    let strength: @Sendable (_ index: Int, _ second: Int) -> Double
  }

  static let skies = [
    Sky(testDescription: "a real sky", isSuspect: false) { index, _ in
      DrivingReceiver.realStrength(index)
    },
    Sky(testDescription: "equal signals", isSuspect: true) { index, second in
      second < 60 ? DrivingReceiver.realStrength(index) : 44 + Double((index + second) % 2)
    },
    Sky(testDescription: "all signals become stronger", isSuspect: true) { index, second in
      DrivingReceiver.realStrength(index) + (second < 60 ? 0 : 7)
    },
    Sky(testDescription: "all signals become weaker", isSuspect: false) { index, second in
      DrivingReceiver.realStrength(index) - (second < 60 ? 0 : 7)
    },
    Sky(testDescription: "signals return differently", isSuspect: false) { index, second in
      DrivingReceiver.realStrength(index) + (second < 60 ? 0 : 5 + Double(index % 4))
    },
  ]

  @Test(arguments: skies)
  func comparesSignals(_ sky: Sky) {
    var machine = IntegrityStateMachine()
    var suspect: [Int] = []
    for second in 0..<120 {
      let receiver = DrivingReceiver()
      machine.observe(receiver.view { sky.strength($0, second) }, at: .seconds(second))
      let result = machine.assess(receiver.location(Double(second)), at: .seconds(second))
      if let result, result.isSuspect {
        #expect(result.reasons == .uniformSignals)
        suspect.append(second)
      }
    }
    #expect(suspect.isEmpty != sky.isSuspect)
    if let first = suspect.first { #expect((60...66).contains(first)) }
  }

  @Test func aSuspicionEndsWithoutFurtherViews() {
    var machine = IntegrityStateMachine()
    let receiver = DrivingReceiver()
    for second in 0..<10 { machine.observe(receiver.view { _ in 44 }, at: .seconds(second)) }
    #expect(machine.assess(receiver.location(10), at: .seconds(10))?.reasons == .uniformSignals)
    #expect(machine.assess(receiver.location(80), at: .seconds(80)) == .plausible)
  }

  @Test func aLargeViewIsBounded() throws {
    var machine = IntegrityStateMachine()
    let view = try SatelliteView(
      satellites: (0..<5_000).map { try Satellite(prn: $0, signalStrength: 30, isUsed: true) })
    for second in 0..<10 { machine.observe(view, at: .seconds(second)) }
    #expect(machine.assess(DrivingReceiver().location(10), at: .seconds(10)) == .plausible)
  }
}
