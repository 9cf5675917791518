import AsyncLocation
import LocationRecording
import SampleDrive
import TestSupport
import Testing

@Suite(.inTurn) struct DriveEventsTests {
  @Test(.longWork) func startsConnectedWithIncreasingTimes() throws {
    let events = try Drive().events
    guard case .connection(let state) = try #require(events.first).event else {
      Issue.record("the first event is not of the connection")
      return
    }
    #expect(state.phase == .connected)
    #expect(state.receivers.map(\.name) == [Drive.device])
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.offset <= $1.offset })
    #expect(events.last?.offset == Drive().epochs.last?.offset)
  }

  @Test(.longWork) func eachEpochEmitsItsEvents() throws {
    let drive = Drive()
    for epoch in drive.epochs {
      var locations: [Location] = []
      var headings: [Heading] = []
      var views: [SatelliteView] = []
      var failures: [LocationError] = []
      for event in try epoch.events {
        switch event {
        case .location(let location): locations.append(location)
        case .heading(let heading): headings.append(heading)
        case .satellites(let view): views.append(view)
        case .unavailable(let error): failures.append(error)
        case .beacons, .connection, .authorization: Issue.record("unexpected \(event)")
        @unknown default: Issue.record("unexpected \(event)")
        }
      }
      #expect(views.map(\.satellites.count) == [epoch.satellites.count])
      #expect(views[0].used.count == epoch.satellites.filter(\.isUsed).count)
      #expect(headings.count == (epoch.fix?.course == nil ? 0 : 1))
      if let course = epoch.fix?.course {
        #expect(abs((headings.first?.trueHeading ?? .nan) - course) < 0.001)
      }
      guard let fix = epoch.fix else {
        #expect(locations.isEmpty)
        #expect(failures.map(\.code) == [.locationUnknown])
        continue
      }
      #expect(failures.isEmpty)
      let location = try #require(locations.first)
      #expect(locations.count == 1)
      #expect(abs(location.latitude - fix.latitude) < 1e-9)
      #expect(abs(location.longitude - fix.longitude) < 1e-9)
      #expect(location.timestamp == epoch.timestamp)
      #expect(location.sourceInformation?.isSimulated == true)
      #expect(location.sourceInformation?.device == Drive.device)
      #expect((location.altitude != nil) == (location.gnss?.mode == .threeDimensional))
      #expect(location.gnss?.satellitesUsed == views[0].used.count)
    }
  }

  /// A recording keeps every digit of a value. The values of the drive therefore have no more
  /// digits than a receiver reports.
  @Test(.longWork) func recordedPointsAreShort() throws {
    let points = try Drive().events.compactMap { offset, event in
      if case .location(let location) = event { TrackPoint(location) } else { nil }
    }
    try #require(points.count > 100)
    for (format, limit) in [(RecordingWriter.Format.gpx, 700), (.csv, 250)] {
      var writer = RecordingWriter(format: format)
      var byteCount = 0
      for point in points { byteCount += writer.write(point).count }
      byteCount += writer.finish().count
      #expect(byteCount / points.count < limit, "\(format): \(byteCount / points.count)")
    }
  }
}
