// The printed members of the values of monitoring; see ``Described``.

extension Condition: Described {
  package var members: [DescribedMember] {
    let subject =
      switch subject {
      case .circle(let circle): DescribedMember("circle", circle)
      case .polygon(let polygon): DescribedMember("polygon", polygon)
      case .corridor(let corridor): DescribedMember("corridor", corridor)
      case .beacon(let identity): DescribedMember("beacon", identity)
      }
    return [
      subject, DescribedMember("dwell", dwell == .zero ? nil : dwell),
      DescribedMember("expiry", expiry),
    ]
  }
}

extension Condition.Circle: Described {
  package var members: [DescribedMember] {
    [DescribedMember("center", center), DescribedMember("radius", radius, "m")]
  }
}

extension Condition.Polygon: Described {
  /// Each ring is printed as its number of vertices.
  package var members: [DescribedMember] {
    [
      DescribedMember("exterior", exterior.count, "vertices"),
      DescribedMember("holes", holes.isEmpty ? nil : holes.map(\.count)),
    ]
  }
}

extension Condition.Corridor: Described {
  /// The path is printed as its number of vertices.
  package var members: [DescribedMember] {
    [DescribedMember("path", path.count, "vertices"), DescribedMember("width", width, "m")]
  }
}

extension BeaconIdentityConstraint: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("uuid", uuid), DescribedMember("major", major),
      DescribedMember("minor", minor),
    ]
  }
}

extension Monitor.Event: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("identifier", identifier), DescribedMember("number", number),
      DescribedMember("state", state), DescribedMember("previousState", previousState),
      DescribedMember("date", date), DescribedMember("location", location),
      DescribedMember("refinement", refinement),
      DescribedMember("diagnostics", diagnostics.isEmpty ? nil : diagnostics),
      DescribedMember("isRepeated", isRepeated ? true : nil),
    ]
  }
}

extension Monitor.Record: Described {
  package var members: [DescribedMember] {
    [DescribedMember("condition", condition), DescribedMember("lastEvent", lastEvent)]
  }
}
