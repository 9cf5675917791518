import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// F63: all outputs of many managers with reduced accuracy reveal one place.
@Suite(.inTurn) struct EveryOutputTests {
  /// A home 2 m from a border, whose coordinates differ from those of the cells beside it.
  private struct Home {
    let key: ReducedAccuracyKey
    let place: SurfaceNormal
    let coordinate: Coordinate

    init(using random: inout SplitMix64) throws {
      while true {
        let key = ReducedAccuracyKey(using: &random)
        let grid = ReducedGrid(key: key)
        let start = Globe.anywhere(using: &random)
        let (direction, _) = Globe.ground(start)
        let border = Globe.border(from: start, along: direction, in: grid).inside
        let place = Globe.moved(start, border - 2, along: direction)
        let coordinate = try Globe.coordinate(place)
        let cells = [place, Globe.moved(place, 4, along: direction)].map {
          grid.cell(of: $0).coordinate
        }
        guard abs(coordinate.latitude) < 60, Set(cells).count == 2,
          cells.allSatisfy({
            abs(coordinate.latitude - $0.latitude) > 0.005
              && abs(coordinate.longitude - $0.longitude) > 0.005
          })
        else { continue }
        (self.key, self.place, self.coordinate) = (key, place, coordinate)
        return
      }
    }

    /// A fix with an error of a few metres.
    func fix(_ seconds: Double, using random: inout SplitMix64) throws -> Location {
      let (east, north) = Globe.ground(place)
      let jitter = Globe.deviates(2, using: &random)
      let measured = Globe.moved(
        Globe.moved(place, 5 * jitter[0], along: east), 5 * jitter[1], along: north)
      return try Location(
        coordinate: Globe.coordinate(measured), timestamp: Sample.date(seconds),
        altitude: 432.1, horizontalAccuracy: 4, verticalAccuracy: 6, speed: 1.234, course: 77.77,
        sourceInformation: SourceInformation(device: "a"))
    }

    /// The numbers in a text that come from the home's fixes.
    func traces(in text: String) -> [Substring] {
      text.matches(of: /-?\d+\.\d+/).map(\.output).filter { number in
        guard let value = Double(number) else { return false }
        return abs(value - coordinate.latitude) < 0.002 || abs(value - coordinate.longitude) < 0.002
          || [432.1, 1.234, 77.77].contains(value)
      }
    }
  }

  /// The output that a program has received.
  private struct Output {
    var coordinates: [Coordinate] = []
    var texts: [String] = []
    /// Elements that reduced accuracy withholds: headings, satellites and crossings.
    var withheld: [String] = []

    mutating func add(_ locations: [Location]) {
      coordinates += locations.map(\.coordinate)
      add(locations as [Any])
    }

    mutating func add(_ values: [Any]) {
      for value in values {
        var text = ""
        dump(value, to: &text)
        texts.append(text)
      }
    }
  }

  /// Runs a manager until its shutdown, and returns the output of everything that it offers.
  private static func use(
    _ home: Home, from begin: Double, using random: inout SplitMix64
  ) async throws -> Output {
    let clock = ManualClock()
    let backend = MockBackend(
      authorization: .answering(ReducedAccuracyTests.reduced), clock: clock)
    let manager = LocationManager(backend: KeyedBackend(backend, home.key), clock: clock)
    let all = BufferingPolicy.newest(1_000)
    let updates = manager.updates(UpdateOptions(buffering: all))
    let batches = manager.batches()
    let (live, headings, satellites) = (manager.liveUpdates, manager.headings, manager.satellites)
    let (visits, changes) = (
      manager.visits(VisitOptions(minimumStay: .seconds(60))), manager.significantLocationChanges
    )
    let events = manager.events(
      EventOptions(
        services: [.locations, .headings, .visits, .significantLocationChanges, .satellites]))
    let (regionEvents, pauses) = (manager.regionEvents, manager.pauseEvents)
    let geocoder = MockGeocoder { request in
      guard case .reverseGeocode(let point, _) = request else { return .later }
      return .placemarks(Placemark(coordinate: point))
    }
    let placemarks = manager.placemarks(using: geocoder)
    // Fences as a program would place them if it knew the home.
    let monitor = try await Monitor("fences", manager: manager)
    for radius in [5.0, 50, 500, 5_000] {
      try await monitor.add(
        .circle(center: home.coordinate, radius: radius), identifier: "\(radius)")
    }
    try await manager.startMonitoring(
      for: .circular(
        CircularRegion(center: home.coordinate, radius: 50, identifier: "region")))
    let following = Task {
      let state = LocationState()
      await state.follow(manager, placemarks: geocoder)
      return [state.location?.coordinate, state.placemark?.coordinate].compactMap(\.self)
    }
    await backend.waitUntilRunning()

    var output = Output()
    for index in 0..<12 {
      let seconds = begin + Double(index) * 100
      try backend.emit(
        .location(try home.fix(seconds, using: &random)), .heading(heading(12.3)),
        .satellites(view(7)))
      clock.advance(by: .seconds(100))
      output.add([await manager.location].compactMap(\.self))
      output.add([
        try await manager.currentLocation(maximumAge: .seconds(3_600), timeout: .zero)
      ])
      if await manager.heading != nil { output.withheld.append("heading") }
    }
    await geocoder.waitForRequests()
    for radius in [5.0, 50, 500, 5_000] {
      let state = await monitor.state(for: "\(radius)")
      if [.satisfied, .unsatisfied].contains(state) {
        output.withheld.append("\(radius): \(state!)")
      }
    }
    await manager.shutdown()

    output.add(await updates.all().elements)
    output.add(await batches.all().elements.flatMap(\.self))
    output.add(await changes.all().elements)
    let reported = await live.all().elements
    output.add(reported)
    output.coordinates += reported.compactMap(\.location?.coordinate)
    let visited = await visits.all().elements
    output.add(visited)
    output.coordinates += visited.map(\.coordinate)
    let places = await placemarks.all().elements
    output.add(places)
    output.coordinates += places.map(\.location.coordinate)
    for case .reverseGeocode(let point, _) in geocoder.requests { output.coordinates.append(point) }
    output.coordinates += await following.value
    output.add(await pauses.all().elements)
    output.withheld += await headings.all().elements.map { "\($0)" }
    output.withheld += await satellites.all().elements.map { "\($0)" }
    for event in await events.all().elements {
      switch event {
      case .didUpdateHeading, .didUpdateSatellites, .didEnterRegion, .didExitRegion:
        output.withheld.append("\(event)")
      case .didDetermineState(let state, _) where state != .unknown:
        output.withheld.append("\(event)")
      case .didUpdateLocations(let locations): output.add(locations)
      // The regions and conditions come from the program, not from locations.
      case .didStartMonitoring, .monitoringDidFail, .didDetermineState: break
      case .didChangeCondition(let event, _): output.add([event.location as Any, event.state])
      default: output.add([event])
      }
    }
    for event in await regionEvents.all().elements {
      switch event {
      case .didStartMonitoring, .monitoringDidFail, .didDetermineState(.unknown, _): break
      default: output.withheld.append("\(event)")
      }
    }
    for await event in monitor.events {
      if event.location != nil || [.satisfied, .unsatisfied].contains(event.state) {
        output.withheld.append("\(event)")
      }
    }
    return output
  }

  @Test("F63: every output of many managers", arguments: 0..<4) func outputsAreEqual(_ seed: Int)
    async throws
  {
    var random = SplitMix64(seed: UInt64(seed))
    let home = try Home(using: &random)
    var answers: Set<Coordinate> = []
    for turn in 0..<5 {
      // Each manager begins in another time step.
      let output = try await Self.use(home, from: Double(turn) * 1_500, using: &random)
      #expect(output.coordinates.count > 40)
      answers.formUnion(output.coordinates)
      #expect(output.withheld == [])
      #expect(output.texts.flatMap(home.traces).count == 0)
    }
    #expect(answers.count == 1)
  }
}
