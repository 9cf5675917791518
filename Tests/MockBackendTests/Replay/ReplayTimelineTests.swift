import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn) struct ReplayTimelineTests {
  static func track(_ seconds: Double...) throws -> [TimedEvent] {
    try seconds.enumerated().map {
      TimedEvent(offset: .seconds($0.element), event: try event($0.offset))
    }
  }

  private func dueTimes(
    _ track: [TimedEvent], rate: Double = 1, _ repetition: ReplayBackend.Repetition = .once,
    upTo count: Int = 10
  ) throws -> [Duration?] {
    let timeline = try ReplayTimeline(track, rate: rate, repetition: repetition)
    return (0..<count).map(timeline.due)
  }

  @Test func keepsTheRecordedPace() throws {
    #expect(
      try dueTimes(Self.track(0, 1, 2.5), upTo: 4)
        == [.zero, .seconds(1), .seconds(2.5), nil])
  }

  @Test(arguments: [(2.0, 0.5), (0.5, 2.0), (10, 0.1)])
  func theRateScalesTheOffsets(_ rate: Double, _ second: Double) throws {
    let times = try dueTimes(Self.track(0, 1, 4), rate: rate, upTo: 3)
    #expect(times == [.zero, .seconds(second), .seconds(4 * second)])
  }

  @Test func tracksAreRepeated() throws {
    let expected: [Duration?] = [0, 2, 4, 6, 8, 10].map { .seconds($0) }
    #expect(try dueTimes(Self.track(0, 2, 4), .times(2), upTo: 7) == expected + [nil])
    #expect(try dueTimes(Self.track(0, 2, 4), .forever, upTo: 6) == expected)
    #expect(try dueTimes(Self.track(0), .forever, upTo: 3) == [.zero, .seconds(1), .seconds(2)])
  }

  @Test func sortsAndKeepsTies() throws {
    let events = try ReplayTimeline(Self.track(3, 1, 1, 0), rate: 1, repetition: .once).events
    #expect(events.map(\.event) == (try [3, 1, 2, 0].map(event)))
  }

  @Test func timestampsAdvanceWithEachRepetition() throws {
    let timeline = try ReplayTimeline(Self.track(0, 1), rate: 1, repetition: .times(3))
    let timestamps = (0..<6).compactMap { number -> Date? in
      guard case .location(let location) = timeline.event(number) else { return nil }
      return location.timestamp
    }
    #expect(timestamps == (try (0..<6).map { try location($0).timestamp }))
    guard case .location(let later) = timeline.event(4) else {
      Issue.record("event 4 is not a location")
      return
    }
    let original = try location(0)
    #expect(later == original.moved(timestamp: later.timestamp))
    #expect(later != original)
  }

  @Test func delaysEveryKindOfReport() throws {
    let now = try location(0).timestamp
    let heading = try Heading(
      trueHeading: 10, magneticHeading: 5, headingAccuracy: 1,
      magneticField: .init(x: 1, y: 2, z: 3),
      timestamp: now, source: .compass, sourceInformation: SourceInformation(device: "a"))
    let moved = try Heading(
      trueHeading: 10, magneticHeading: 5, headingAccuracy: 1,
      magneticField: .init(x: 1, y: 2, z: 3),
      timestamp: now + 60, source: .compass, sourceInformation: SourceInformation(device: "a"))
    #expect(BackendEvent.heading(heading).delayed(bySeconds: 60) == .heading(moved))
    let view = try SatelliteView(timestamp: now, satellites: [Satellite(prn: 3, isUsed: true)])
    let later = try SatelliteView(
      timestamp: now + 60, satellites: [Satellite(prn: 3, isUsed: true)])
    #expect(BackendEvent.satellites(view).delayed(bySeconds: 60) == .satellites(later))
    let trouble = BackendEvent.unavailable(breakdown)
    #expect(trouble.delayed(bySeconds: 60) == trouble)
    // Times beyond the calendar stay unchanged.
    #expect(BackendEvent.heading(heading).delayed(bySeconds: 1e12) == .heading(heading))
    #expect(try event(1).delayed(bySeconds: 1e12) == event(1))
  }

  @Test(arguments: [0.001, 0.3, 1, 7, 1e6], [0, 1, 3, 17, 1000])
  func findsTheFirstPendingEvent(_ rate: Double, _ start: Int) throws {
    let timeline = try ReplayTimeline(Self.track(0, 1, 1, 5), rate: rate, repetition: .times(300))
    for number in [start, start + 1, start + 50] {
      guard let due = timeline.due(number) else { continue }
      for instant in [due, due + .nanoseconds(1)] {
        let first = timeline.first(from: start, notBefore: instant)
        let expected = (start..<timeline.count).first {
          timeline.due($0).map { $0 >= instant } == true
        }
        #expect(first == expected ?? timeline.count)
      }
    }
    // All 1,200 events are past by then.
    #expect(timeline.first(from: 0, notBefore: .seconds(3_000_000_000)) == 1200)
  }

  @Test func survivesExtremes() throws {
    for rate in [Double.leastNonzeroMagnitude, 1e-300, 1e300, .greatestFiniteMagnitude] {
      let timeline = try ReplayTimeline(
        [TimedEvent(offset: ReplayTimeline.longest, event: try event(0))], rate: rate,
        repetition: .times(.max))
      #expect(timeline.due(0) != nil)
      #expect(timeline.due(1 << 52) != nil)
      _ = timeline.event(1 << 52)
      #expect(timeline.first(from: 0, notBefore: .seconds(1)) <= timeline.count)
      // Events due after a century never occur; earlier ones have passed.
      let first = timeline.first(from: 0, notBefore: ReplayTimeline.longest * 2)
      #expect(first == (rate < 1 ? 0 : timeline.count))
    }
    let empty = try ReplayTimeline([], rate: 1, repetition: .forever)
    #expect(empty.due(0) == nil)
    #expect(empty.first(from: 0, notBefore: .seconds(1)) == 0)
  }

  @Test(arguments: [0, -1, -Double.infinity, .infinity, .nan])
  func refusesAnInvalidRate(_ rate: Double) throws {
    let error = #expect(throws: LocationError.self) {
      try MockBackend.replay([], rate: rate, clock: ManualClock())
    }
    #expect(error?.code == .invalidValue)
    #expect(error?.message.contains("rate") == true)
  }

  @Test func refusesInvalidOffsetsAndRepetitions() throws {
    let refused: [(Duration, ReplayBackend.Repetition)] = [
      (.seconds(-1), .once), (ReplayTimeline.longest + .seconds(1), .once), (.zero, .times(0)),
      (.zero, .times(-1)),
    ]
    for (offset, repetition) in refused {
      let error = #expect(throws: LocationError.self) {
        try ReplayTimeline(
          [TimedEvent(offset: offset, event: try event(0))], rate: 1, repetition: repetition)
      }
      #expect(error?.code == .invalidValue)
    }
  }

  @Test func tracksFollowTimestamps() throws {
    let track = TimedEvent.track([try location(10), try location(12), try location(9)])
    #expect(track.map(\.offset) == [.zero, .seconds(2), .zero])
    #expect(track.map(\.event) == (try [10, 12, 9].map(event)))
    #expect(TimedEvent.track([]).isEmpty)
  }
}
