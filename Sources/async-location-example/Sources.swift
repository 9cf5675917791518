import AsyncLocation
import AuthorizationPolicyFile
import CombinedBackend
import FoundationEssentials
import GPSDBackend
import GeoClueBackend
import LocationRecording
import LocationStorage
import MQTTBackend
import MockBackend
import NMEABackend
import NominatimGeocoder
import OfflineGeocoder
import SampleDrive

/// Creates the sources, storages and configurations that the arguments select; see ``Tool``.
enum Sources {
  @Sendable static func source(_ arguments: Arguments) async throws -> NamedBackend {
    guard let backend = arguments.backends.first, !arguments.isCombined else {
      return try await combined(arguments)
    }
    switch backend {
    case .gpsd:
      let configuration = configuration(arguments)
      return NamedBackend(name: name(arguments), backend: GPSDBackend(configuration))
    case .geoclue:
      return NamedBackend(
        name: "GeoClue",
        backend: GeoClueBackend(GeoClueConfiguration(authorizationPolicy: policy(arguments))))
    case .nmea:
      guard let source = arguments.nmea else { throw UsageError("--port is missing") }
      return NamedBackend(
        name: "NMEA 0183 from \(source)",
        backend: NMEABackend(source, authorizationPolicy: policy(arguments) ?? .automatic))
    case .replay:
      let (name, events, notice) = try await track(arguments)
      let digits = arguments.rate.rounded() == arguments.rate ? 0 : 3
      let rate = NumberText.fixed(arguments.rate, digits)
      let pace = arguments.rate == 1 ? "" : " at \(rate) times its pace"
      return NamedBackend(
        name: name + pace,
        backend: try ReplayBackend(
          events, rate: arguments.rate, name: arguments.file ?? Drive.device,
          authorizationPolicy: policy(arguments) ?? .automatic, clock: .continuous),
        notice: notice)
    case .mqtt:
      let topic = try arguments.deviceTopic()
      return NamedBackend(
        name: "\(topic) at \(arguments.broker.url ?? "")",
        backend: MQTTBackend(
          try await broker(arguments), topic: topic,
          authorizationPolicy: policy(arguments) ?? .automatic))
    }
  }

  /// Several sources as one, in the order of the arguments.
  private static func combined(_ arguments: Arguments) async throws -> NamedBackend {
    var (names, sources) = ([String](), [CombinedSource]())
    for backend in arguments.backends {
      let source = try await source(arguments.limited(to: backend))
      names.append(source.name)
      sources.append(CombinedSource(backend.rawValue, source.backend))
    }
    return NamedBackend(
      name: names.joined(separator: ", else "), backend: try CombinedBackend(sources),
      isCombined: true)
  }

  /// The recording of `--file`; without one, the built-in drive.
  ///
  /// - Throws: ``UsageError`` with the path and the reason if the file cannot be replayed.
  private static func track(
    _ arguments: Arguments
  ) async throws -> (name: String, events: [TimedEvent], notice: String?) {
    guard let path = arguments.file else {
      return (
        "recorded drive",
        try Drive().events.map { TimedEvent(offset: $0.offset, event: $0.event) }, nil
      )
    }
    do throws(RecordingError) {
      let recording = try await runBlocking { () throws(RecordingError) in
        try Recording(contentsOf: path)
      }
      guard !recording.events.isEmpty else {
        throw RecordingError(
          .malformed,
          recording.skipped.parts.first.map { "nothing can be replayed: \($0)" }
            ?? "it contains no locations")
      }
      return ("\(path) (\(recording.format))", recording.events, notice(of: recording, path))
    } catch {
      throw UsageError("\(path): \(error)")
    }
  }

  /// The parts of a recording that are not replayed, on one line; nil if all parts are.
  private static func notice(of recording: Recording, _ path: String) -> String? {
    let undatedCount = recording.locations.count(where: \.isUndated)
    var parts = ScanMessages.undated(undatedCount).map { [$0] } ?? []
    parts += ScanMessages.leftOut(recording.pointKind, recording.omitted)
    if recording.pointKind != .waypoint {
      parts +=
        ScanMessages.leftOut(
          waypoints: recording.waypoints.count, since: "they are no part of the track"
        ).map { [$0] } ?? []
    }
    var latest = Date.distantPast
    let oldCount = recording.locations.count { location in
      defer { latest = max(latest, location.timestamp) }
      return location.timestamp < latest
    }
    if oldCount > 0 {
      parts.append(
        "\(NumberText.counted(oldCount, "location")) older than one before left out")
    }
    let count = recording.skipped.count
    if let first = recording.skipped.parts.first {
      parts.append(
        "\(count) \(count == 1 ? "part was" : "parts were") skipped; the first: \(first)")
    }
    return parts.isEmpty ? nil : "\(path): " + parts.joined(separator: "; ")
  }

  @Sendable static func receivers(_ arguments: Arguments) async throws -> [Receiver] {
    // The list of receivers contains no location, but a policy that denies locations also denies
    // the list.
    if let found = await policy(arguments)?.explanation(), !found.status.isAuthorized {
      let code: LocationError.Code =
        !found.locationServicesEnabled
        ? .locationServicesDisabled : found.status == .restricted ? .restricted : .denied
      throw LocationError(code, "Permission is \(found.status) (\(found.reason ?? "")).")
    }
    return try await GPSDBackend(configuration(arguments)).devices()
  }

  @Sendable static func survey(_ arguments: Arguments) async throws -> Evidence.Survey {
    let backend = GPSDBackend(configuration(arguments))
    var survey = Evidence.Survey()
    survey.libgpsAPI = GPSDBackend.libgpsAPI
    survey.endpoint = endpoint(arguments)
    do {
      survey.receivers = .success(try await backend.devices())
    } catch let error as LocationError {
      survey.receivers = .failure(error)
    }
    let daemon = backend.statistics.daemon
    survey.release = daemon?.release
    if let major = daemon?.protocolMajor, let minor = daemon?.protocolMinor {
      survey.protocolVersion = (major, minor)
    }
    return survey
  }

  @Sendable static func reports(_ arguments: Arguments) throws -> ReportSource {
    let reports = GPSDBackend(configuration(arguments)).reports(
      ReportOptions(classes: arguments.classes, buffering: .newest(bytes: Losses.bound)))
    return ReportSource(
      reports: reports.map { received in
        ShownReport(
          className: received.report?.className, device: received.report?.device,
          line: received.line, value: received.report)
      }, states: reports.connectionStates, dropped: { reports.dropped })
  }

  /// The storage of monitors: in memory without a state file.
  @Sendable static func monitorStorage(
    for stateFile: String?
  ) async throws -> any MonitorStorage {
    guard let stateFile else { return MemoryMonitorStorage() }
    try await runBlocking { () throws(UsageError) in try StoragePath.check(stateFile, .state) }
    return SQLiteMonitorStorage(file: stateFile)
  }

  /// The storage of publications: in memory without a file.
  @Sendable static func publicationStorage(
    for file: String?
  ) async throws -> any PublicationStorage {
    guard let file else { return MemoryPublicationStorage() }
    try await runBlocking { () throws(UsageError) in
      try StoragePath.check(file, .storage)
      try StoragePath.checkWritable(file, .storage)
    }
    return SQLitePublicationStorage(file: file)
  }

  /// The geocoder of `--nominatim`; in `watch` it has a cache, and the built-in places are its
  /// fallback. Without the option, the built-in places.
  @Sendable static func geocoder(_ arguments: Arguments) throws -> any Geocoder {
    guard let server = arguments.nominatim else { return OfflineGeocoder() }
    var configuration = NominatimGeocoder.Configuration(
      application: "\(Help.name)/\(Help.version)", limit: arguments.limit ?? 10)
    if arguments.command == .place, let timeout = arguments.timeout {
      configuration.timeout = timeout
    }
    do {
      let geocoder = try NominatimGeocoder(server: server, configuration: configuration)
      guard arguments.command == .watch else { return geocoder }
      return FallbackGeocoder(CachingGeocoder(geocoder), OfflineGeocoder())
    } catch  where error.code == .unsupported {
      throw UsageError(
        "--nominatim: the servers of OpenStreetMap have rules that this tool cannot keep; name a "
          + "server of yours")
    } catch {
      throw UsageError("--nominatim: \(error.message)")
    }
  }

  private static func configuration(_ arguments: Arguments) -> GPSDConfiguration {
    var configuration = GPSDConfiguration(
      host: arguments.host, port: arguments.port, device: arguments.device)
    switch arguments.transport {
    case .socket: configuration.transport = .socket
    case .sharedMemory: configuration.transport = .sharedMemory
    }
    if let policy = policy(arguments) { configuration.authorizationPolicy = policy }
    if let timeout = arguments.timeout, [.devices, .doctor].contains(arguments.command) {
      configuration.connectTimeout = timeout
      configuration.handshakeTimeout = timeout
    }
    return configuration
  }

  /// The broker of `--broker`, with the credentials of the arguments or of the environment.
  ///
  /// - Throws: ``UsageError`` if the arguments are not valid or a file cannot be used.
  @Sendable static func broker(
    _ arguments: Arguments
  ) async throws(UsageError) -> MQTTConfiguration {
    let configuration = try arguments.brokerConfiguration(
      environment: ProcessInfo.processInfo.environment)
    do throws(LocationError) {
      try await runBlocking { () throws(LocationError) in try configuration.checkFiles() }
    } catch {
      throw UsageError(error.message, command: arguments.command)
    }
    return configuration
  }

  private static func endpoint(_ arguments: Arguments) -> String {
    let host = arguments.host.contains(":") ? "[\(arguments.host)]" : arguments.host
    return "\(host):\(arguments.port)"
  }

  /// The policy of `--policy`; nil when there is none.
  @Sendable static func policy(_ arguments: Arguments) -> FileAuthorizationPolicy? {
    arguments.policy.map {
      FileAuthorizationPolicy(path: $0, client: arguments.client, keyPath: arguments.key)
    }
  }

  private static func name(_ arguments: Arguments) -> String {
    switch arguments.transport {
    case .socket: return "gpsd " + endpoint(arguments)
    case .sharedMemory: return "gpsd's shared memory"
    }
  }
}
