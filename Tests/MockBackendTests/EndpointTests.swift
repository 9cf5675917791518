import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import MockBackend

/// Every use of a public member of the manager is logged once, under the member's name.
@Suite(.inTurn)
struct EndpointTests {
  typealias Endpoint = LocationManager.Endpoint

  /// A use of one declaration.
  struct Use: Sendable, CustomTestStringConvertible {
    let endpoint: Endpoint
    let testDescription: String
    let perform: @Sendable (LocationManager) async throws -> Void

    init(
      _ endpoint: Endpoint, _ description: String = "",
      _ perform: @escaping @Sendable (LocationManager) async throws -> Void
    ) {
      self.endpoint = endpoint
      testDescription = "\(endpoint)\(description)"
      self.perform = perform
    }
  }

  private static var region: Region {
    get throws {
      .circular(
        CircularRegion(
          center: try Coordinate(latitude: 60, longitude: 25), radius: 100, identifier: "harbour"))
    }
  }

  private static let beacon = BeaconIdentityConstraint(
    uuid: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))

  static let uses: [Use] = [
    Use(.accuracyAuthorization) { _ = await $0.accuracyAuthorization },
    Use(.authorization) { _ = await $0.authorization() },
    Use(.authorizationStatus) { _ = await $0.authorizationStatus },
    Use(.headingAvailable) { _ = $0.headingAvailable },
    Use(.locationServicesEnabled) { _ = await $0.locationServicesEnabled },
    Use(.properties) { _ = await $0.properties },
    Use(.heading) { _ = await $0.heading },
    Use(.location) { _ = await $0.location },
    Use(.statistics) { _ = await $0.statistics },
    Use(.currentLocation, "()") { _ = try await $0.currentLocation() },
    Use(.currentLocation, "(timeout:)") {
      _ = try await $0.currentLocation(desiredAccuracy: .kilometer, timeout: .seconds(5))
    },
    Use(.nextLocation) { _ = try await $0.nextLocation(timeout: .seconds(5)) },
    Use(.requestAlwaysAuthorization) { _ = try await $0.requestAlwaysAuthorization() },
    Use(.requestTemporaryFullAccuracyAuthorization) {
      _ = try? await $0.requestTemporaryFullAccuracyAuthorization(purposeKey: "docking")
    },
    Use(.requestWhenInUseAuthorization) { _ = try await $0.requestWhenInUseAuthorization() },
    Use(.authorizationUpdates) { _ = $0.authorizationUpdates },
    Use(.batches) { _ = $0.batches() },
    Use(.beacons) { _ = $0.beacons(satisfying: beacon) },
    Use(.connectionStates) { _ = $0.connectionStates },
    Use(.events) { _ = $0.events },
    Use(.events, "(_:)") { _ = $0.events(EventOptions(services: .visits)) },
    Use(.headings) { _ = $0.headings },
    Use(.headings, "(_:)") { _ = $0.headings(HeadingOptions()) },
    Use(.liveUpdates) { _ = $0.liveUpdates },
    Use(.liveUpdates, "(_:)") { _ = $0.liveUpdates(.fitness) },
    Use(.monitoringDiagnostics) { _ = $0.monitoringDiagnostics },
    Use(.pauseEvents) { _ = $0.pauseEvents },
    Use(.placemarks) { _ = $0.placemarks(using: MockGeocoder()) },
    Use(.regionEvents) { _ = $0.regionEvents },
    Use(.satellites) { _ = $0.satellites },
    Use(.significantLocationChanges) { _ = $0.significantLocationChanges },
    Use(.updates) { _ = $0.updates },
    Use(.updates, "(_:)") { _ = $0.updates(UpdateOptions()) },
    Use(.visits) { _ = $0.visits },
    Use(.visits, "(_:)") { _ = $0.visits(VisitOptions()) },
    Use(.trips) { _ = $0.trips },
    Use(.trips, "(_:)") { _ = $0.trips(TripOptions()) },
    Use(.allowDeferredLocationUpdates) {
      $0.allowDeferredLocationUpdates(untilTraveled: 100, timeout: .seconds(60))
    },
    Use(.disallowDeferredLocationUpdates) { $0.disallowDeferredLocationUpdates() },
    Use(.dismissHeadingCalibrationDisplay) { $0.dismissHeadingCalibrationDisplay() },
    Use(.set, "(_:)") { await $0.set(LocationManager.Properties()) },
    Use(.set, "(change)") { await $0.set { $0.distanceFilter = 5 } },
    Use(.requestLocation) { $0.requestLocation() },
    Use(.startMonitoringSignificantLocationChanges) {
      $0.startMonitoringSignificantLocationChanges()
    },
    Use(.startMonitoringVisits) { $0.startMonitoringVisits() },
    Use(.startUpdatingHeading) { $0.startUpdatingHeading() },
    Use(.startUpdatingLocation) { $0.startUpdatingLocation() },
    Use(.stopMonitoringSignificantLocationChanges) {
      $0.stopMonitoringSignificantLocationChanges()
    },
    Use(.stopMonitoringVisits) { $0.stopMonitoringVisits() },
    Use(.stopUpdatingHeading) { $0.stopUpdatingHeading() },
    Use(.stopUpdatingLocation) { $0.stopUpdatingLocation() },
    Use(.setInUse) { await $0.setInUse(false) },
    Use(.shutdown) { await $0.shutdown() },
    Use(.isMonitoringAvailable) { _ = $0.isMonitoringAvailable(for: .beacon) },
    Use(.isRangingAvailable) { _ = $0.isRangingAvailable },
    Use(.maximumRegionMonitoringDistance) { _ = $0.maximumRegionMonitoringDistance },
    Use(.monitoredRegions) { _ = await $0.monitoredRegions },
    Use(.requestState) { await $0.requestState(for: try region) },
    Use(.significantLocationChangeMonitoringAvailable) {
      _ = $0.significantLocationChangeMonitoringAvailable
    },
    Use(.startMonitoring) { try await $0.startMonitoring(for: try region) },
    Use(.stopMonitoring) { await $0.stopMonitoring(for: try region) },
  ]

  /// Uses that create an object with a manager.
  static let objects: [Use] = [
    Use(.monitor) { _ = try await Monitor("gates", manager: $0) },
    Use(.serviceSession) { _ = ServiceSession($0) },
  ]

  @Test(arguments: uses + objects)
  func eachUseIsLoggedOnceUnderItsName(_ use: Use) async throws {
    let backend = MockBackend()
    try backend.emit(try event(1))  // For the calls that wait for a location.
    let manager = LocationManager(backend: backend, clock: ManualClock())
    #expect(backend.calls.isEmpty)
    try await use.perform(manager)
    #expect(backend.endpoints == [use.endpoint])
    #expect(backend.calls.first == .endpoint(use.endpoint))
  }

  @Test func waitingTestIsResumed() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let test = Task.immediate { await backend.waitForCall(.endpoint(.visits), count: 2) }
    _ = manager.visits
    _ = manager.visits
    await test.value
  }

  /// A scope shuts its manager down, which is not a use by the program.
  @Test func theEndOfAScopeIsNotLogged() async throws {
    let backend = MockBackend()
    await withLocationManager(backend: backend) { _ in }
    #expect(backend.endpoints == [])
  }

  @Test func endpointsPrintTheirNames() {
    for endpoint in Endpoint.allCases {
      #expect("\(endpoint)" == endpoint.rawValue)
    }
  }

  // MARK: Completeness

  /// The number of public declarations of the manager with each name.
  private static func declarations() throws -> [String: Int] {
    let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
      .joined(separator: "/")
    let folder = root + "/Sources/AsyncLocation"
    var counts: [String: Int] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder)
    where path.hasSuffix(".swift") {
      let text = String(
        decoding: try #require(FileManager.default.contents(atPath: "\(folder)/\(path)")),
        as: UTF8.self)
      for name in members(of: text) { counts[name, default: 0] += 1 }
    }
    return counts
  }

  /// The names of the public properties and functions that a file declares in the manager or in an
  /// extension of it. The house style indents them by two spaces.
  static func members(of text: String) -> [String] {
    var isInManager = false
    return text.split(separator: "\n").compactMap { line -> String? in
      if !line.hasPrefix(" "), !line.hasPrefix("#"), !line.hasPrefix("/") {
        let openings = ["public actor LocationManager", "extension LocationManager"]
        let words = line.split { !$0.isLetter && $0 != "." && $0 != "}" }.joined(separator: " ")
        isInManager = openings.contains(words)
      }
      guard isInManager, line.hasPrefix("  public ") else { return nil }
      let words = line.split { !$0.isLetter }
      guard !words.contains("static"),
        let index = words.firstIndex(where: { $0 == "var" || $0 == "func" || $0 == "let" }),
        index + 1 < words.count
      else { return nil }
      return String(words[index + 1])
    }
  }

  @Test(.longWork) func everyMemberHasAUse() throws {
    let declarations = try Self.declarations()
    #expect(declarations["updates"] == 2)
    #expect(declarations["shutdown"] == 1)
    let uses = Dictionary(Self.uses.map { ($0.endpoint.rawValue, 1) }, uniquingKeysWith: +)
    for (name, count) in declarations {
      #expect(Endpoint(rawValue: name) != nil, "LocationManager.Endpoint has no case '\(name)'.")
      #expect(
        uses[name] == count,
        "LocationManager declares '\(name)' \(count) times: use each in EndpointTests.uses.")
    }
    #expect(uses.count == declarations.count)
  }

  @Test func publicMembersAreFoundInTheSource() {
    let text = """
      public actor LocationManager {
        nonisolated let lifetime: HubLifetime
        public nonisolated var first: Int { 1 }
        public init() {}
        public static var second: Int { 2 }
      }
      extension LocationManager.Statistics {
        public var third: Int { 3 }
      }
      extension LocationManager {
        public func fourth(
          _ option: Int
        ) async {}
        public struct Fifth {}
      }
      """
    #expect(Self.members(of: text) == ["first", "fourth"])
  }
}
