import AsyncLocation
import FoundationEssentials
import HTTPTransfer

/// Queries one server.
final class GeocodingService: Geocoder {
  /// The maximum number of concurrent requests. Further requests wait.
  static let connectionLimit = 16

  private let address: ServerAddress
  private let configuration: NominatimGeocoder.Configuration
  private let gate: RequestGate
  private let client: HTTPClient

  init(
    _ address: ServerAddress, _ configuration: NominatimGeocoder.Configuration, _ gate: RequestGate
  ) {
    self.address = address
    self.configuration = configuration
    self.gate = gate
    client = HTTPClient(connectionLimit: Self.connectionLimit, idleLimit: 2)
  }

  func reverseGeocode(
    _ coordinate: Coordinate, locale: GeocodingLocale?
  ) async throws -> [Placemark] {
    let request = ServiceRequest.reverse(
      coordinate, locale, configuration.service, limit: configuration.limit)
    return try await placemarks(request, from: coordinate, otherwise: "nothing near this point") {
      [configuration] body throws(NominatimAnswer.Malformed) in
      switch configuration.service {
      case .nominatim: try NominatimAnswer.place(in: body)
      case .photon: try PhotonAnswer.places(in: body, limit: configuration.limit)
      }
    }
  }

  func geocode(
    _ name: String, near: Coordinate?, locale: GeocodingLocale?
  ) async throws -> [Placemark] {
    let request = try ServiceRequest.search(
      name, near: near, locale, configuration.service, limit: configuration.limit)
    return try await placemarks(request, from: near, otherwise: "no place of this name") {
      [configuration] body throws(NominatimAnswer.Malformed) in
      switch configuration.service {
      case .nominatim: try NominatimAnswer.places(in: body, limit: configuration.limit)
      case .photon: try PhotonAnswer.places(in: body, limit: configuration.limit)
      }
    }
  }

  /// The places of an answer, with their distances from a point if one is given.
  ///
  /// - Parameter nothing: Completes the message "the server knows …" if there are no places.
  private func placemarks(
    _ request: ServiceRequest, from point: Coordinate?, otherwise nothing: String,
    _ read: (Data) throws(NominatimAnswer.Malformed) -> [Placemark]
  ) async throws -> [Placemark] {
    do {
      let placemarks = try read(try await body(request))
      guard !placemarks.isEmpty else {
        throw LocationError(.geocodeFoundNoResult, "\(address.name) knows \(nothing).")
      }
      return point.map { point in placemarks.map { $0.measured(from: point) } } ?? placemarks
    } catch let failure as ExchangeFailure {
      throw LocationError(failure, of: address.name, at: .now)
    } catch is NominatimAnswer.Malformed {
      throw LocationError(.malformed, of: address.name, at: .now)
    }
  }

  /// The body of an answer within the timeout.
  private func body(_ request: ServiceRequest) async throws -> Data {
    let deadline = gate.timeline.now().addingSaturated(configuration.timeout)
    return try await withThrowingTaskGroup { group in
      defer { group.cancelAll() }
      group.addTask { try await self.exchange(request, before: deadline) }
      group.addTask {
        try await self.gate.timeline.sleep(until: deadline)
        throw LocationError(
          .timedOut, "\(self.address.name) did not answer in time; try again later.")
      }
      guard let body = try await group.next() else { throw CancellationError() }
      return body
    }
  }

  /// Sends requests as ``ExchangeStateMachine`` decides.
  private func exchange(_ request: ServiceRequest, before deadline: Duration) async throws -> Data {
    guard let url = URL(string: address.base + request.target) else {
      throw ExchangeFailure.malformed
    }
    var generator = SystemRandomNumberGenerator()
    var machine = ExchangeStateMachine(url, of: address.origin, retries: configuration.retries)
    var action = machine.begin()
    while true {
      switch action {
      case .deliver(let body): return body
      case .fail(let failure):
        if case .refused(let wait?) = failure { gate.refuse(for: wait) }
        throw failure
      case .send(let url, let delay):
        let instant = gate.timeline.now().addingSaturated(delay)
        if delay > .zero { try await gate.timeline.sleep(until: instant) }
        action = try await send(url, request.languages, before: deadline, &machine, &generator)
      }
    }
  }

  private func send(
    _ url: URL, _ languages: String, before deadline: Duration,
    _ machine: inout ExchangeStateMachine, _ generator: inout some RandomNumberGenerator
  ) async throws -> ExchangeStateMachine.Action {
    do {
      try await gate.pass(before: deadline)
      var request = HTTPRequest(
        url: url.absoluteString,
        headers: [
          "User-Agent: " + configuration.application, "Accept: application/json",
          "Accept-Language: " + languages,
        ], answer: .body(limit: ExchangeFailure.bodyLimit))
      request.mayLeave = GeocodingPermission.current?.isGiven
      let response = try await client.send(request)
      let remaining = deadline - gate.timeline.now()
      return machine.answered(response, remaining: remaining, at: .now, using: &generator)
    } catch let failure as HTTPFailure {
      return machine.failed(failure)
    } catch RequestGate.Refusal.refused(let wait) {
      throw ExchangeFailure.refused(for: wait)
    } catch RequestGate.Refusal.crowded {
      throw LocationError(
        .rateLimited,
        "Too many requests wait for \(address.name), which is asked at most once in "
          + "\(configuration.minimumInterval); ask less often.")
    }
  }
}
