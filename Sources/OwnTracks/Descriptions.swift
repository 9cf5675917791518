package import AsyncLocation

// The printed descriptions of messages; see `Described`.

/// The names of unrecognized members, quoted and escaped.
private func described(_ members: [String: String]) -> [DescribedMember] {
  members.isEmpty ? [] : [DescribedMember("otherMembers", members.keys.sorted())]
}

extension LocationMessage: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("location", location),
      DescribedMember("batteryLevel", batteryLevel, "%"),
      DescribedMember("batteryStatus", batteryStatus),
      DescribedMember("trackerID", trackerID),
      DescribedMember("trigger", trigger?.rawValue),
      DescribedMember("pressure", pressure, "kPa"),
      DescribedMember("connectivity", connectivity),
      DescribedMember("tag", tag),
      DescribedMember("pointOfInterest", pointOfInterest),
      DescribedMember("regions", regions.isEmpty ? nil : regions),
      DescribedMember("regionIDs", regionIDs.isEmpty ? nil : regionIDs),
      DescribedMember("ssid", ssid),
      DescribedMember("bssid", bssid),
      DescribedMember("createdAt", createdAt),
      DescribedMember("mode", mode),
      DescribedMember("identifier", identifier),
      DescribedMember("motionActivities", motionActivities.isEmpty ? nil : motionActivities),
      DescribedMember("topic", topic),
    ] + described(otherMembers)
  }
}

extension TransitionMessage: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("event", event),
      DescribedMember("time", time),
      DescribedMember("coordinate", coordinate),
      DescribedMember("horizontalAccuracy", horizontalAccuracy, "m"),
      DescribedMember("waypointTime", waypointTime),
      DescribedMember("name", name),
      DescribedMember("regionID", regionID),
      DescribedMember("trackerID", trackerID),
      DescribedMember("trigger", trigger?.rawValue),
    ] + described(otherMembers)
  }
}

extension WaypointMessage: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("name", name),
      DescribedMember("time", time),
      DescribedMember("coordinate", coordinate),
      DescribedMember("radius", radius, "m"),
      DescribedMember("regionID", regionID),
    ] + described(otherMembers)
  }
}

extension WaypointsMessage: Described {
  package var members: [DescribedMember] {
    [DescribedMember("waypoints", waypoints), DescribedMember("creator", creator)]
      + described(otherMembers)
  }
}

extension LastWillMessage: Described {
  package var members: [DescribedMember] {
    [DescribedMember("connectedAt", connectedAt)] + described(otherMembers)
  }
}

extension StatusMessage: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("iOS", iOS), DescribedMember("android", android),
      DescribedMember("linux", linux),
    ] + described(otherMembers)
  }
}

extension DeviceStatus: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("time", time),
      DescribedMember("authorization", authorization),
      DescribedMember("accuracy", accuracy),
      DescribedMember("connection", connection),
      DescribedMember("problem", problem),
    ]
  }
}

extension CardMessage: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("name", name),
      DescribedMember("face", face?.count, "bytes"),
      DescribedMember("trackerID", trackerID),
    ] + described(otherMembers)
  }
}

/// A configuration is not printed: it may contain passwords.
extension CommandMessage: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("action", action.rawValue),
      DescribedMember("waypoints", waypoints.isEmpty ? nil : waypoints),
    ]
  }
}

extension StepsMessage: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("time", time),
      DescribedMember("count", count),
      DescribedMember("start", start),
      DescribedMember("end", end),
      DescribedMember("distance", distance, "m"),
      DescribedMember("floorsAscended", floorsAscended),
      DescribedMember("floorsDescended", floorsDescended),
    ] + described(otherMembers)
  }
}

extension EncryptedMessage: Described {
  package var members: [DescribedMember] { [DescribedMember("data", data.count, "bytes")] }
}

extension OtherMessage: Described {
  package var members: [DescribedMember] {
    [DescribedMember("type", type)] + described(otherMembers)
  }
}
